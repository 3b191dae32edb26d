package heapwire.spark;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

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
    private static final long[] sampled = new long[PARTS.length];
    /** The task's thread, or 0; its time when the task began, and at the last look. */
    private static long thread;
    private static long began;
    private static long seen;

    static long samples;
    static long tasks;
    /** Of the processor, for all tasks. */
    static long run;
    static long rootsWritten;
    static long rootsRead;
    static long bytesWritten;
    static long bytesRead;
    /** Not null in the run in which objects are counted and records are kept; that run is not timed. */
    static Inspector inspector;

    private Meter() {
    }

    static synchronized void clear() {
        java.util.Arrays.fill(sampled, 0);
        samples = tasks = run = rootsWritten = rootsRead = bytesWritten = bytesRead = 0;
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
        run += CLOCK.getCurrentThreadCpuTime() - began;
        tasks++;
        thread = 0;
    }

    private static synchronized void look() {
        if (thread != 0) {
            int found = part.getAcquire();
            long now = CLOCK.getThreadCpuTime(thread);
            sampled[found] += now - seen;
            seen = now;
            samples++;
        }
    }

    /** Nanoseconds of a part: its share of the samples, of all that the processor worked for the tasks. What a task
      * does after the last look at it is thus divided as the rest is. */
    static synchronized long of(int wanted) {
        double all = java.util.stream.LongStream.of(sampled).sum();
        return all == 0 ? 0 : Math.round(run * (sampled[wanted] / all));
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
