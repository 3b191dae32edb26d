package heapwire.spark;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Map;
import org.apache.spark.TaskContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/** A plug-in of Spark that measures how long the processor worked for each task. Time in which another process had it
  * is not in that, nor time of the collector, which has a thread of its own. */
public final class TaskClock implements SparkPlugin {
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    @Override
    public DriverPlugin driverPlugin() {
        return null;
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new ExecutorPlugin() {
            @Override
            public void init(PluginContext context, Map<String, String> extra) {
                // There is nothing to prepare.
            }

            @Override
            public void onTaskStart() {
                long started = CLOCK.getCurrentThreadCpuTime();
                TaskContext.get().addTaskCompletionListener(context -> {
                    Meter.run += CLOCK.getCurrentThreadCpuTime() - started;
                    Meter.tasks++;
                });
            }
        };
    }
}
