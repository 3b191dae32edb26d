"""The shuffling programs of firmware/programs/shuffle: what they compute, computed plainly, and what there is to choose."""
from heapwire.shuffle.choices import MOST_VERTICES, MOST_WORDS, TIMES, VERTICES, WORDS, serializers
from heapwire.shuffle.plain import PROGRAMS, digest, results

__all__ = ["MOST_VERTICES", "MOST_WORDS", "PROGRAMS", "TIMES", "VERTICES", "WORDS", "digest", "results", "serializers"]
