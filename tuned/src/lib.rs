//! Memory-copy kernels tuned by measurement.
#![no_std]
