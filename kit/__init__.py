"""Fine-tuning on the hardware people own: predict a run, measure it, explain the gap."""

__version__ = "0.1.0"
