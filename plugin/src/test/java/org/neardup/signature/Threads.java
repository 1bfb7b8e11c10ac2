package org.neardup.signature;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/** Work of several threads at once. */
public final class Threads {
    private Threads() {}

    /** Does {@code work} for the numbers below {@code count}, each in a thread of its own; throws what one of them throws. */
    public static void run(int count, IntFunction<Callable<Void>> work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(count);
        try {
            List<Future<Void>> running = new ArrayList<>();
            for (int thread = 0; thread < count; thread++) {
                running.add(pool.submit(work.apply(thread)));
            }
            for (Future<Void> future : running) {
                future.get();
            }
        } finally {
            pool.shutdownNow();
        }
    }
}
