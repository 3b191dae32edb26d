package heapwire.spark;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

/** What the tasks of a run took: time of the processor and counts. One task runs at a time (`local[1]`).
  *
  * The task's thread says in which part of its work it is; that costs no more than a store. A sampler looks at short
  * intervals, and counts what the processor has worked for that thread since it looked before towards the part that it
  * sees. So no clock is read for a record, and time in which the thread did not run is in no part. */
final class Meter {
    /** Parts of a task's work, in the order of {@link #PARTS}. */
    static final int COMPUTATION = 0;
    static final int SERIALIZE = 1;
    static final int WRITE = 2;
    static final int DESERIALIZE = 3;
    static final int READ = 4;
    static final String[] PARTS = {"computation", "serialize", "write", "deserialize", "read"};

    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();
    private static final long INTERVAL = 250_000;
    private static final AtomicInteger part = new AtomicInteger();
    /** The task's thread, or 0; its time when the task began, and at the last look. */
    private static long thread;
    private static long began;
    private static long seen;

    /** Where all is added. */
    static Totals to = new Totals();
    /** Not null in the run in which objects are counted and records are kept; that run is not timed. */
    static Inspector inspector;

    private Meter() {
    }

    /** What the tasks of some runs took. */
    static final class Totals {
        private final long[] sampled = new long[PARTS.length];
        long samples;
        long tasks;
        /** Of the processor, for all tasks. */
        long run;
        long rootsWritten;
        long rootsRead;
        long bytesWritten;
        long bytesRead;

        /** Nanoseconds of a part: its share of the samples, of all that the processor worked for the tasks. What a task
          * does after the last look at it is thus divided as the rest is. */
        long of(int wanted) {
            double all = LongStream.of(sampled).sum();
            return all == 0 ? 0 : Math.round(run * (sampled[wanted] / all));
        }
    }

    /** Says that the task's thread is in another part now; returns the part that it was in, for {@link #back}. */
    static int enter(int next) {
        int before = part.getPlain();
        part.setRelease(next);
        return before;
    }

    static void back(int before) {
        part.setRelease(before);
    }

    /** To be called by the task's thread. */
    static synchronized void begin() {
        back(COMPUTATION);
        thread = Thread.currentThread().getId();
        began = seen = CLOCK.getCurrentThreadCpuTime();
    }

    /** To be called by the task's thread. */
    static synchronized void end() {
        to.run += CLOCK.getCurrentThreadCpuTime() - began;
        to.tasks++;
        thread = 0;
    }

    private static synchronized void look() {
        if (thread != 0) {
            int found = part.getAcquire();
            long now = CLOCK.getThreadCpuTime(thread);
            to.sampled[found] += now - seen;
            seen = now;
            to.samples++;
        }
    }

    static void start() {
        Thread sampler = new Thread(() -> {
            while (true) {
                LockSupport.parkNanos(INTERVAL);
                look();
            }
        }, "sampler");
        sampler.setDaemon(true);
        sampler.start();
    }
}
