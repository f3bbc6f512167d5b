//! What a search promises: networks that compute the matrix, the same from the same seed, resumed or
//! not, and errors for what cannot be.

use super::*;
use crate::spec::aria::diffusion_mask;

fn rows() -> [u16; SIZE] {
    core::array::from_fn(diffusion_mask)
}

const IN_PLACE: Form = Form::InPlace { involution: false };
const FORMS: &[Form] = &[
    IN_PLACE,
    Form::InPlace { involution: true },
    Form::Gates { operands: Operands::Two, keys: false, depth: None },
    Form::Gates { operands: Operands::Two, keys: false, depth: Some(4) },
    Form::Gates { operands: Operands::Three, keys: false, depth: Some(3) },
    Form::Gates { operands: Operands::Three, keys: true, depth: None },
];

#[test]
fn every_form_finds_networks_of_the_layer() {
    for form in FORMS {
        let tables = Tables::new(*form);
        let mut search = Search::new(rows(), *form, 1).expect("possible");
        let first = search.gates();
        search.run(&tables, 3000);
        let found = search.best().expect("it computes the rows");
        assert_eq!(found.network.gates.len(), search.gates());
        assert!(search.gates() < first, "{form:?}: {first} gates at the start and no better");
        if let Form::Gates { depth: Some(limit), .. } = form {
            assert!(found.depth <= *limit, "{form:?}");
        }
        let read = network::parse("printed", &found.text).expect("our own notation");
        assert_eq!(read, found.network);
    }
}

#[test]
fn an_involution_of_outputs_is_one() {
    let form = Form::InPlace { involution: true };
    let mut search = Search::new(rows(), form, 5).expect("possible");
    search.run(&Tables::new(form), 2000);
    let Walk::InPlace(walk) = &search.walk else { panic!("in place") };
    let outputs = walk.best().outputs;
    assert!((0..SIZE).all(|row| outputs[outputs[row]] == row), "{outputs:?}");
}

#[test]
fn pieces_of_a_run_are_the_run() {
    for form in FORMS {
        let tables = Tables::new(*form);
        let mut whole = Search::new(rows(), *form, 9).expect("possible");
        let mut pieces = whole.clone();
        whole.run(&tables, 1000);
        for piece in [1, 399, 600] {
            pieces.run(&tables, piece);
            // As a checkpoint does: nothing but what is written down survives.
            let stored = serde_json::to_string(&pieces).expect("plain data");
            pieces = serde_json::from_str(&stored).expect("what was written");
        }
        let text = |search: &Search| search.best().expect("it computes the rows").text;
        assert_eq!(text(&pieces), text(&whole), "{form:?}");
        let stored = |search: &Search| serde_json::to_string(search).expect("plain data");
        assert_eq!(stored(&pieces), stored(&whole), "{form:?}");
    }
}

#[test]
fn other_seeds_walk_elsewhere() {
    let form = FORMS[4];
    let at = |seed| {
        let mut search = Search::new(rows(), form, seed).expect("possible");
        search.run(&Tables::new(form), 200);
        search.walk
    };
    assert_eq!(at(1), at(1));
    assert_ne!(at(1), at(2));
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |rows, form| Search::new(rows, form, 0).expect_err("impossible");
    let mut trivial = rows();
    trivial[3] = 1 << 9;
    assert_eq!(refused(trivial, IN_PLACE), ProblemError::Trivial(3));
    let mut equal = rows();
    equal[7] = equal[2];
    assert_eq!(refused(equal, IN_PLACE), ProblemError::Equal(2, 7));
    let mut singular = rows();
    singular[0] = singular[1] ^ singular[2];
    assert_eq!(refused(singular, IN_PLACE), ProblemError::Singular);
    let depth = |depth| Form::Gates { operands: Operands::Three, keys: true, depth: Some(depth) };
    let expected = ProblemError::Depth { depth: 1, terms: 8, least: 2 };
    assert_eq!(refused(rows(), depth(1)), expected);
    assert!(Search::new(rows(), depth(2), 0).is_ok());
}

#[test]
fn an_altered_search_has_no_network() {
    let mut search = Search::new(rows(), IN_PLACE, 0).expect("possible");
    assert!(search.best().is_some());
    search.rows[4] ^= 1;
    assert!(search.best().is_none());
}
