//! How each unit computes an S-box, given as field inversion between two affine maps.
//!
//! GFNI (Intel SDM volume 2): GF2P8AFFINEINVQB inverts in the field of FIPS 197 and RFC 5794, then
//! applies a matrix and a constant; GF2P8AFFINEQB applies them alone. An S-box whose map before the
//! inversion is the identity is one instruction, any other two.

use crate::ir::{Constant, MachineOp};
use crate::isa::Unit;
use crate::math::{BitMatrix, Sbox};

/// One instruction of a route: an operation whose second operand is a bit matrix.
#[derive(Clone, Debug)]
pub(super) struct RouteStep {
    /// The operation.
    pub(super) op: MachineOp,
    /// Its matrix.
    pub(super) matrix: Constant,
}

/// The instructions that compute `sbox` on `unit`, or `None` when the unit has no way to.
pub(super) fn route(sbox: Sbox, unit: Unit) -> Option<Vec<RouteStep>> {
    match unit {
        Unit::Gfni => Some(route_gfni(sbox)),
        Unit::Bits | Unit::Aesni | Unit::Vaes => None,
    }
}

fn route_gfni(sbox: Sbox) -> Vec<RouteStep> {
    let name = sbox.name.to_uppercase();
    let mut steps = Vec::new();
    if !sbox.before.is_identity() {
        steps.push(RouteStep {
            op: MachineOp::Affine { constant: sbox.before.constant },
            matrix: Constant {
                name: format!("{name}_BEFORE"),
                doc: format!("The matrix of {name} before the field inversion."),
                matrix: sbox.before.matrix,
            },
        });
    }
    let matrix = if sbox.after.matrix == BitMatrix::IDENTITY {
        Constant {
            name: "IDENTITY".to_owned(),
            doc: "The identity, for a field inversion with nothing after it.".to_owned(),
            matrix: BitMatrix::IDENTITY,
        }
    } else {
        Constant {
            name: format!("{name}_AFTER"),
            doc: format!("The matrix of {name} after the field inversion."),
            matrix: sbox.after.matrix,
        }
    };
    steps
        .push(RouteStep { op: MachineOp::AffineInverse { constant: sbox.after.constant }, matrix });
    steps
}
