//! Least, median, and the line through points.

/// Of the times of one contender at one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The least: what the machine can do when nothing disturbs it.
    pub least: f64,
    /// The median: far from the least, the run was disturbed.
    pub median: f64,
}

/// Least and median of `values`; `None` of none. The median of an even number of values is the mean
/// of the middle two.
#[must_use]
pub fn summary(values: &[f64]) -> Option<Summary> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let least = *sorted.first()?;
    let median = match sorted.len().is_multiple_of(2) {
        true => f64::midpoint(sorted[middle - 1], sorted[middle]),
        false => sorted[middle],
    };
    Some(Summary { least, median })
}

/// `y = base + slope * x`
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// At x = 0: the cost of a call.
    pub base: f64,
    /// Per unit of x: the cost of a byte.
    pub slope: f64,
}

/// The line with the least sum of squared distances in y; `None` unless x takes two values.
#[must_use]
pub fn fit(points: &[(f64, f64)]) -> Option<Line> {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x_mean, y_mean) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = points.iter().map(|(x, _)| (x - x_mean).powi(2)).sum();
    if points.is_empty() || spread == 0.0 {
        return None;
    }
    let common: f64 = points.iter().map(|(x, y)| (x - x_mean) * (y - y_mean)).sum();
    let slope = common / spread;
    Some(Line { base: y_mean - slope * x_mean, slope })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_and_median_of_any_order_and_number() {
        assert_eq!(summary(&[]), None);
        assert_eq!(summary(&[7.0]), Some(Summary { least: 7.0, median: 7.0 }));
        assert_eq!(summary(&[9.0, 1.0, 5.0]), Some(Summary { least: 1.0, median: 5.0 }));
        assert_eq!(summary(&[9.0, 1.0, 5.0, 2.0]), Some(Summary { least: 1.0, median: 3.5 }));
    }

    #[test]
    fn a_line_is_found_through_its_points() {
        let points: Vec<(f64, f64)> =
            (1..=65).map(|k| (64.0 * f64::from(k), 30.0 + 0.25 * 64.0 * f64::from(k))).collect();
        let line = fit(&points).expect("many x");
        assert!((line.slope - 0.25).abs() < 1e-12 && (line.base - 30.0).abs() < 1e-9, "{line:?}");
    }

    /// Worked by hand: means 2 and 3, spread 2, common sum 3.
    #[test]
    fn a_line_between_points_has_least_squares() {
        let line = fit(&[(1.0, 2.0), (2.0, 2.0), (3.0, 5.0)]).expect("three x");
        assert!((line.slope - 1.5).abs() < 1e-12 && line.base.abs() < 1e-12, "{line:?}");
    }

    #[test]
    fn no_line_through_one_x() {
        assert_eq!(fit(&[]), None);
        assert_eq!(fit(&[(4.0, 1.0), (4.0, 2.0)]), None);
    }
}
