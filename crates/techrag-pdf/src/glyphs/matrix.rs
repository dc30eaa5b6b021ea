//! Transformation matrices of PDF, `[a b c d e f]` (ISO 32000-1, 8.3.3).

/// Maps `(x, y)` to `(a x + c y + e, b x + d y + f)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Matrix(pub [f64; 6]);

impl Matrix {
    pub(super) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub(super) fn shift(x: f64, y: f64) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// The matrix that applies `self` first and `outer` after it.
    pub(super) fn then(self, outer: Self) -> Self {
        let ([a, b, c, d, e, f], [oa, ob, oc, od, oe, of]) = (self.0, outer.0);
        Self([
            a * oa + b * oc,
            a * ob + b * od,
            c * oa + d * oc,
            c * ob + d * od,
            e * oa + f * oc + oe,
            e * ob + f * od + of,
        ])
    }

    pub(super) fn apply(self, x: f64, y: f64) -> (f64, f64) {
        let [a, b, c, d, e, f] = self.0;
        (a * x + c * y + e, b * x + d * y + f)
    }

    /// How far the unit vectors along x and y go.
    pub(super) fn scales(self) -> (f64, f64) {
        let [a, b, c, d, ..] = self.0;
        (a.hypot(b), c.hypot(d))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_comes_first() {
        let scale = Matrix([2.0, 0.0, 0.0, 3.0, 0.0, 0.0]);
        let moved = Matrix::shift(1.0, 1.0);
        assert_eq!(scale.then(moved).apply(1.0, 1.0), (3.0, 4.0));
        assert_eq!(moved.then(scale).apply(1.0, 1.0), (4.0, 6.0));
    }
}
