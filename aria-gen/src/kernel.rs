//! Which kernels there are, and how each is built from the specification.
//!
//! [`KernelId`] names a cell of the matrix; [`matrix`] says which cells are legal and why the others
//! are not; a builder per layout ([`mod@row`], [`mod@slice`]) turns a legal cell into an abstract program.
//! This module knows the specification, the IR and the axes of `isa`; it knows no instruction.

mod id;
pub mod key_form;
pub mod matrix;
pub mod row;
pub mod slice;

pub use id::{Cipher, Frame, KernelId, ParseIdError};
pub use key_form::KeyForm;
pub use matrix::{Illegal, Layout, Recipe, UnknownKernel};
