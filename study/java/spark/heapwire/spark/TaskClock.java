package heapwire.spark;

import java.util.Map;
import org.apache.spark.TaskContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;

/** A plug-in of Spark that tells the meter of each task. Time of the collector is not in it, which has a thread of its
  * own. */
public final class TaskClock implements SparkPlugin {
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
                Meter.begin();
                TaskContext.get().addTaskCompletionListener(context -> {
                    Meter.end();
                });
            }
        };
    }
}
