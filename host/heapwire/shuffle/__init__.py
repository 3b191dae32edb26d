"""What the shuffling programs of firmware/programs/shuffle compute, computed plainly."""
from heapwire.shuffle.plain import PROGRAMS, digest, results

__all__ = ["PROGRAMS", "digest", "results"]
