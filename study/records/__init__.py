"""What crosses host and machine in the study's programs, declared as in heapwire.records."""
