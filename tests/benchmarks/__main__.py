"""python -m tests.benchmarks: measures and prints, and judges nothing; targets are marked met or missed."""

from tests.benchmarks import bench_bertviz, bench_frames, bench_grid, bench_overview, bench_run, bench_threads

if __name__ == "__main__":
    bench_run.main()
    bench_threads.main()
    bench_grid.main()
    bench_frames.main()
    bench_overview.main()
    bench_bertviz.main()
