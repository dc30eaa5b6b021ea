//! Sizes, overlap and places of packed chunks.

use proptest::prelude::*;

use super::*;

fn config() -> Config {
    Config { target: 100, min: 20, max: 160, overlap: 30, ..crate::test_config() }
}

/// Sentences of ten characters.
fn paragraph(sentences: usize, tag: char) -> Paragraph {
    let sentence = format!("A{} is so.", tag.to_string().repeat(2));
    let text = vec![sentence; sentences].join(" ");
    let spans = vec![Span { start: 0, end: text.len(), page: Some(1), ..Span::default() }];
    Paragraph { text, spans, ..Default::default() }
}

fn lengths(packed: &[Packed]) -> Vec<usize> {
    packed.iter().map(|packed| chars(&packed.text)).collect()
}

#[test]
fn paragraphs_are_packed_to_the_target_and_never_cut() {
    let paragraphs: Vec<_> = "abcdefg".chars().map(|tag| paragraph(4, tag)).collect();
    let packed = pack(&paragraphs, &config());
    for packed in &packed {
        let own = &packed.text[packed.overlap..];
        for text in own.trim().split(GAP) {
            assert!(paragraphs.iter().any(|paragraph| paragraph.text == text), "{text}");
        }
    }
    // 43 + 2 + 43 = 88 is nearer to 100 than 133; the overlap of two sentences (21 + 2) then counts too.
    assert_eq!(lengths(&packed), [88, 111, 111, 66]);
}

#[test]
fn the_overlap_is_whole_sentences_of_the_chunk_before() {
    let packed = pack(&[paragraph(10, 'x'), paragraph(10, 'y')], &config());
    assert_eq!(packed.len(), 2);
    assert!(packed[1].text.starts_with("Axx is so. Axx is so.\n\nAyy"), "{}", packed[1].text);
    assert_eq!(&packed[1].text[..packed[1].overlap], "Axx is so. Axx is so.");
}

#[test]
fn an_overlap_never_repeats_a_whole_chunk() {
    let packed = pack(&[paragraph(1, 'x'), paragraph(14, 'y')], &config());
    assert_eq!(packed.len(), 2);
    assert_eq!(packed[1].overlap, 0);
    let packed = pack(&[paragraph(2, 'x'), paragraph(18, 'y')], &Config { max: 400, ..config() });
    assert_eq!(&packed[1].text[..packed[1].overlap], "Axx is so.");
}

#[test]
fn a_table_is_kept_whole_and_not_repeated() {
    let cells = vec![vec!["a".to_owned()], vec!["b".to_owned()]];
    let table = Table { cells, ..Default::default() };
    let paragraphs = [paragraph(8, 'x'), crate::table::paragraph(table.clone(), None), paragraph(8, 'y')];
    let packed = pack(&paragraphs, &config());
    assert_eq!(packed.len(), 2);
    assert_eq!(packed[0].tables, [table]);
    assert_eq!((packed[1].overlap, packed[1].tables.len()), (0, 0));
}

#[test]
fn a_small_tail_joins_the_chunk_before_and_a_small_section_stays() {
    let packed = pack(&[paragraph(10, 'x'), paragraph(1, 'y')], &config());
    assert_eq!(lengths(&packed), [121]);
    assert_eq!(lengths(&pack(&[paragraph(1, 'x')], &config())), [10]);
    assert_eq!(pack(&[], &config()), []);
}

proptest! {
    #[test]
    fn sizes_hold_and_every_paragraph_stands_in_one_place(counts in prop::collection::vec(1usize..14, 0..12)) {
        let tags = "abcdefghijkl".chars();
        let paragraphs: Vec<_> = counts.iter().zip(tags).map(|(&count, tag)| paragraph(count, tag)).collect();
        let packed = pack(&paragraphs, &config());
        let mut own = Vec::new();
        for (at, packed) in packed.iter().enumerate() {
            prop_assert!(chars(&packed.text) <= config().max);
            prop_assert!(at > 0 || packed.overlap == 0);
            prop_assert!(packed.overlap as f32 <= config().overlap as f32 * OVERLAP_SLACK);
            let mut end = 0;
            for span in &packed.spans {
                prop_assert!(span.start >= end && span.start < span.end);
                prop_assert!(packed.text.get(span.start..span.end).is_some_and(|text| text == text.trim()));
                end = span.end;
            }
            prop_assert_eq!(end, packed.text.len());
            own.extend(packed.text[packed.overlap..].trim_start().split(GAP).map(str::to_owned));
        }
        let all: Vec<_> = paragraphs.iter().map(|paragraph| paragraph.text.clone()).collect();
        prop_assert_eq!(own, all);
    }
}
