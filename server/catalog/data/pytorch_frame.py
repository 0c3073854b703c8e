"""pytorch_frame.py - the part that all scripts share: options and the measurement."""
import argparse
import statistics
import time

import torch


def times_on_gpu(run, repeat):
    """Returns microseconds per run between CUDA events. Runs are queued without waiting,
    so that a short run is not measured as long as its launch, unless launches are slower."""
    starts = [torch.cuda.Event(enable_timing=True) for _ in range(repeat)]
    ends = [torch.cuda.Event(enable_timing=True) for _ in range(repeat)]
    for start, end in zip(starts, ends):
        start.record()
        run()
        end.record()
    torch.cuda.synchronize()
    return [1000 * start.elapsed_time(end) for start, end in zip(starts, ends)]


def times_on_cpu(run, repeat):
    """Returns microseconds per run."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        times.append(1e6 * (time.perf_counter() - start))
    return times


def number_from(low):
    """Returns the type of an option that is a whole number."""
    def whole(text):
        if int(text) < low:
            raise ValueError
        return int(text)
    whole.__name__ = f"number from {low}"
    return whole


def main(make, operator, dtype):
    """Measures what make(device) returns, and prints the median and the minimum."""
    gpu = torch.cuda.is_available()
    parser = argparse.ArgumentParser(description=f"Measures {operator} with PyTorch.")
    parser.add_argument("--device", default="cuda" if gpu else "cpu",
                        help="cuda, cuda:1, cpu (default: %(default)s)")
    parser.add_argument("--warmup", type=number_from(0), default=10,
                        help="runs before the measurement (default: %(default)s)")
    parser.add_argument("--repeat", type=number_from(1), default=100,
                        help="measured runs (default: %(default)s)")
    given = parser.parse_args()
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = dtype == "tf32"
    try:
        device = torch.device(given.device)
        if device.type == "cuda":
            torch.cuda.set_device(device)
        run = make(device)
        for _ in range(given.warmup + 1):
            run()
        if device.type == "cuda":
            torch.cuda.synchronize()
            times = times_on_gpu(run, given.repeat)
        else:
            times = times_on_cpu(run, given.repeat)
    except (AssertionError, MemoryError, RuntimeError) as error:
        reason = str(error).strip().split("\n", 1)[0]
        raise SystemExit(f"torch {torch.__version__} cannot run {operator} with {dtype} on "
                         f"{given.device}: {reason}") from None
    print(f"{operator} {dtype} on {given.device}: median {statistics.median(times):.3f} us, "
          f"minimum {min(times):.3f} us, {given.repeat} runs")
