//! Interprets a page's content for its text: text operators in full, paths as rules and areas, images as boxes.
//!
//! Operators and their meaning: ISO 32000-1, 8.4 (graphics state), 9.3 and 9.4 (text).

use super::face::{Face, Faces};
use super::glyph::{Glyph, Raw, Text};
use super::graphics::{self, Path, point, unit_square};
use super::layers::Hidden;
use super::marks::Marks;
use super::matrix::Matrix;
use hayro::hayro_syntax::content::TypedIter;
use hayro::hayro_syntax::content::ops::TypedInstruction as Op;
use hayro::hayro_syntax::object::{Array, Dict, Name, Number, Object, Rect, Stream};
use hayro::hayro_syntax::page::{Page, Resources};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Instant;

/// Forms within forms; deeper ones are cycles.
const DEPTH: u32 = 16;
/// Saved graphics states; deeper is an attack.
const STATES: usize = 512;
/// Operators between two looks at the clock.
const LOOK: u32 = 256;

/// The page took longer than it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Late;

/// All glyphs, rules and areas of a page, annotations that show text included.
pub(super) fn raw<'a>(
    page: &'a Page<'a>,
    faces: &Faces<'a>,
    hidden: &Hidden,
    deadline: Option<Instant>,
) -> Result<Raw, Late> {
    let (width, height) = page.render_dimensions();
    let mut run = Run {
        faces,
        hidden,
        deadline,
        ops: 0,
        depth: 0,
        raw: Raw { width, height, ..Raw::default() },
        path: Path::default(),
        marks: Marks::default(),
    };
    let start = Matrix(page.initial_transform(true).as_coeffs());
    run.content(page.typed_operations(), page.resources(), State::new(start))?;
    run.annotations(page, start)?;
    Ok(run.raw)
}

/// The graphics state, as far as text needs it.
#[derive(Clone)]
struct State<'a> {
    ctm: Matrix,
    face: Option<Rc<Face<'a>>>,
    size: f64,
    char_space: f64,
    word_space: f64,
    stretch: f64,
    leading: f64,
    rise: f64,
    mode: i64,
    line_width: f64,
}

impl State<'_> {
    fn new(ctm: Matrix) -> Self {
        Self {
            ctm,
            face: None,
            size: 1.0,
            char_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
            mode: 0,
            line_width: 1.0,
        }
    }

    fn place(&self, x: &Number, y: &Number) -> (f32, f32) {
        point(self.ctm.apply(x.as_f64(), y.as_f64()))
    }

    #[expect(clippy::cast_possible_truncation, reason = "a line width in points")]
    fn stroke(&self) -> f32 {
        let (x, y) = self.ctm.scales();
        (self.line_width * x.min(y)) as f32
    }
}

/// One page under interpretation.
struct Run<'r, 'a> {
    faces: &'r Faces<'a>,
    hidden: &'r Hidden,
    deadline: Option<Instant>,
    ops: u32,
    depth: u32,
    raw: Raw,
    path: Path,
    marks: Marks,
}

/// What one content stream holds while it runs.
struct Scope<'s, 'a> {
    resources: &'s Resources<'a>,
    fonts: HashMap<Vec<u8>, Option<Rc<Face<'a>>>>,
    state: State<'a>,
    saved: Vec<State<'a>>,
    text: Matrix,
    line: Matrix,
}

impl<'a> Run<'_, 'a> {
    fn content(&mut self, mut ops: TypedIter<'_>, resources: &Resources<'a>, state: State<'a>) -> Result<(), Late> {
        let mut scope = Scope {
            resources,
            fonts: HashMap::new(),
            state,
            saved: Vec::new(),
            text: Matrix::IDENTITY,
            line: Matrix::IDENTITY,
        };
        while let Some(op) = ops.next() {
            self.tick()?;
            if !self.state_op(&op, &mut scope) && !self.path_op(&op, &scope.state) {
                self.text_op(&op, &mut scope)?;
            }
        }
        self.path.discard();
        Ok(())
    }

    fn tick(&mut self) -> Result<(), Late> {
        self.ops = self.ops.wrapping_add(1);
        let late = self.ops.is_multiple_of(LOOK) && self.deadline.is_some_and(|deadline| Instant::now() > deadline);
        if late { Err(Late) } else { Ok(()) }
    }

    /// Operators of the graphics and text state and of marked content; false where it is another one.
    fn state_op(&mut self, op: &Op<'_, '_>, scope: &mut Scope<'_, 'a>) -> bool {
        let state = &mut scope.state;
        match op {
            Op::SaveState(_) if scope.saved.len() < STATES => scope.saved.push(state.clone()),
            Op::SaveState(_) => {}
            Op::RestoreState(_) => {
                if let Some(saved) = scope.saved.pop() {
                    *state = saved;
                }
            }
            Op::Transform(m) => state.ctm = matrix([&m.0, &m.1, &m.2, &m.3, &m.4, &m.5]).then(state.ctm),
            Op::LineWidth(width) => state.line_width = width.0.as_f64(),
            Op::CharacterSpacing(space) => state.char_space = space.0.as_f64(),
            Op::WordSpacing(space) => state.word_space = space.0.as_f64(),
            Op::HorizontalScaling(scale) => state.stretch = scale.0.as_f64() / 100.0,
            Op::TextLeading(leading) => state.leading = leading.0.as_f64(),
            Op::TextRise(rise) => state.rise = rise.0.as_f64(),
            Op::TextRenderingMode(mode) => state.mode = mode.0.as_i64(),
            Op::TextFont(font) => self.set_font(font.0, font.1.as_f64(), scope),
            Op::SetGraphicsState(name) => self.set_graphics_state(name.0, scope),
            Op::BeginMarkedContent(tag) => self.marks.begin(tag.0.as_str(), None, false, self.raw.glyphs.len()),
            Op::BeginMarkedContentWithProperties(mark) => self.begin_marked(mark.0, mark.1, scope),
            Op::EndMarkedContent(_) => self.marks.end(&mut self.raw.glyphs),
            _ => return false,
        }
        true
    }

    fn begin_marked(&mut self, tag: &Name<'_>, properties: &Object<'_>, scope: &Scope<'_, 'a>) {
        let named = match properties {
            Object::Name(name) => scope.resources.properties.get::<Dict<'_>>(name.as_ref()),
            _ => None,
        };
        let hidden = tag.as_str() == "OC"
            && matches!(properties, Object::Name(name) if self.hidden.hides(&scope.resources.properties, name.as_ref()));
        let dict = match properties {
            Object::Dict(dict) => Some(dict),
            _ => named.as_ref(),
        };
        self.marks.begin(tag.as_str(), dict, hidden, self.raw.glyphs.len());
    }

    fn set_font(&self, name: &Name<'_>, size: f64, scope: &mut Scope<'_, 'a>) {
        scope.state.size = size;
        let key: &[u8] = name.as_ref();
        if let Some(face) = scope.fonts.get(key) {
            scope.state.face.clone_from(face);
            return;
        }
        // A font that is not in the resources is Helvetica; one that cannot be loaded shows nothing.
        let face = match scope.resources.fonts.get::<Dict<'a>>(key) {
            Some(dict) => self.faces.of(&dict),
            None => self.faces.helvetica(),
        };
        scope.state.face.clone_from(&face);
        scope.fonts.insert(key.to_vec(), face);
    }

    fn set_graphics_state(&self, name: &Name<'_>, scope: &mut Scope<'_, 'a>) {
        let Some(dict) = scope.resources.get_ext_g_state(name) else { return };
        if let Some(width) = dict.get::<f64>(b"LW".as_slice()) {
            scope.state.line_width = width;
        }
        let Some(font) = dict.get::<Array<'a>>(b"Font".as_slice()) else { return };
        let mut items = font.flex_iter();
        if let (Some(dict), Some(size)) = (items.next::<Dict<'a>>(), items.next::<f64>()) {
            scope.state.face = self.faces.of(&dict);
            scope.state.size = size;
        }
    }

    /// Operators that build and paint paths; false where it is another one.
    fn path_op(&mut self, op: &Op<'_, '_>, state: &State<'a>) -> bool {
        match op {
            Op::MoveTo(to) => self.path.move_to(state.place(&to.0, &to.1)),
            Op::LineTo(to) => self.path.line_to(state.place(&to.0, &to.1)),
            Op::CubicTo(c) => self.path.curve_to(state.place(&c.2, &c.3), state.place(&c.4, &c.5)),
            Op::CubicStartTo(c) => self.path.curve_to(state.place(&c.0, &c.1), state.place(&c.2, &c.3)),
            Op::CubicEndTo(c) => self.path.curve_to(state.place(&c.0, &c.1), state.place(&c.2, &c.3)),
            Op::ClosePath(_) => self.path.close(),
            Op::RectPath(r) => {
                self.path.rectangle([r.0.as_f64(), r.1.as_f64(), r.2.as_f64(), r.3.as_f64()], state.ctm);
            }
            Op::StrokePath(_) => self.paint(Some(state.stroke())),
            Op::CloseAndStrokePath(_) => {
                self.path.close();
                self.paint(Some(state.stroke()));
            }
            Op::FillAndStrokeNonZero(_)
            | Op::FillAndStrokeEvenOdd(_)
            | Op::CloseFillAndStrokeNonZero(_)
            | Op::CloseFillAndStrokeEvenOdd(_) => self.paint(Some(state.stroke())),
            Op::FillPathNonZero(_) | Op::FillPathNonZeroCompatibility(_) | Op::FillPathEvenOdd(_) => self.paint(None),
            Op::EndPath(_) => self.path.discard(),
            _ => return false,
        }
        true
    }

    fn paint(&mut self, line: Option<f32>) {
        if self.marks.hidden() {
            self.path.discard();
        } else {
            self.path.paint(line, &mut self.raw);
        }
    }

    /// Operators that show text, forms and images.
    fn text_op(&mut self, op: &Op<'_, '_>, scope: &mut Scope<'_, 'a>) -> Result<(), Late> {
        if !matches!(op, Op::ShowText(_) | Op::ShowTexts(_)) {
            // What comes next stands where it is put, not where spacing leads.
            let last = [self.raw.glyphs.last_mut(), self.raw.hidden.last_mut()];
            last.into_iter().flatten().for_each(|last| last.spacing = 0.0);
        }
        match op {
            Op::BeginText(_) => scope.set_line(Matrix::IDENTITY),
            Op::SetTextMatrix(m) => scope.set_line(matrix([&m.0, &m.1, &m.2, &m.3, &m.4, &m.5])),
            Op::NextLine(to) => scope.next_line(to.0.as_f64(), to.1.as_f64()),
            Op::NextLineAndSetLeading(to) => {
                scope.state.leading = -to.1.as_f64();
                scope.next_line(to.0.as_f64(), to.1.as_f64());
            }
            Op::NextLineUsingLeading(_) => scope.next_line(0.0, -scope.state.leading),
            Op::ShowText(text) => self.show(text.0.as_bytes(), scope)?,
            Op::NextLineAndShowText(text) => {
                scope.next_line(0.0, -scope.state.leading);
                self.show(text.0.as_bytes(), scope)?;
            }
            Op::ShowTextWithParameters(text) => {
                scope.state.word_space = text.0.as_f64();
                scope.state.char_space = text.1.as_f64();
                scope.next_line(0.0, -scope.state.leading);
                self.show(text.2.as_bytes(), scope)?;
            }
            Op::ShowTexts(texts) => {
                for item in texts.0.iter::<Object<'_>>() {
                    match item {
                        Object::Number(number) => scope.adjust(number.as_f64()),
                        Object::String(text) => self.show(text.as_bytes(), scope)?,
                        _ => {}
                    }
                }
            }
            Op::XObject(name) => self.x_object(name.0, scope)?,
            Op::InlineImage(_) if !self.marks.hidden() => graphics::image(unit_square(scope.state.ctm), &mut self.raw),
            _ => {}
        }
        Ok(())
    }

    fn show(&mut self, bytes: &[u8], scope: &mut Scope<'_, 'a>) -> Result<(), Late> {
        if scope.state.face.is_none() && scope.fonts.is_empty() {
            scope.state.face = self.faces.helvetica();
        }
        let Some(face) = scope.state.face.clone() else { return Ok(()) };
        let mut offset = 0;
        while offset < bytes.len() {
            self.tick()?;
            let (code, length) = face.read(bytes, offset);
            offset += length;
            let glyph = face.code(code);
            let space = if code == 32 && length == 1 { scope.state.word_space } else { 0.0 };
            self.push(&face, glyph.text, glyph.advance, glyph.origin, scope);
            scope.advance(&face, glyph.advance, space);
        }
        Ok(())
    }

    fn push(&mut self, face: &Face<'a>, text: Text, advance: f64, origin: (f64, f64), scope: &Scope<'_, 'a>) {
        let State { size, stretch, rise, ctm, mode, .. } = scope.state;
        let glyph_space = Matrix([size * stretch, 0.0, 0.0, size, 0.0, rise]).then(scope.text).then(ctm);
        // Vertical writing: the pen goes down the middle of the glyphs, whatever their widths.
        let (origin, end) =
            if face.horizontal { (origin, (origin.0 + advance, origin.1)) } else { ((0.0, 0.0), (0.0, advance)) };
        let (x, y) = point(glyph_space.apply(origin.0, origin.1));
        let end = point(glyph_space.apply(end.0, end.1));
        let (size, em) = sizes(glyph_space, face.em);
        let spacing = spacing(&scope.state, scope.text);
        if x.is_finite() && y.is_finite() && end.0.is_finite() && end.1.is_finite() && size.is_finite() {
            let invisible = mode == 3 || mode == 7;
            let artifact = self.marks.artifact();
            let glyphs = if self.marks.hidden() { &mut self.raw.hidden } else { &mut self.raw.glyphs };
            glyphs.push(Glyph { text, x, y, end, size, em, spacing, style: face.style, invisible, artifact });
        }
    }

    fn x_object(&mut self, name: &Name<'_>, scope: &Scope<'_, 'a>) -> Result<(), Late> {
        let Some(stream) = scope.resources.get_x_object(name) else { return Ok(()) };
        let kind = stream.dict().get::<Name<'_>>(b"Subtype".as_slice());
        let is_image = kind.as_ref().is_some_and(|kind| kind.as_str() == "Image");
        if self.marks.hidden() || self.hidden.hides(stream.dict(), b"OC") {
            return if is_image { Ok(()) } else { self.unseen(&stream, scope) };
        }
        match kind.as_ref().map(Name::as_str) {
            Some("Image") => graphics::image(unit_square(scope.state.ctm), &mut self.raw),
            _ => self.form(&stream, scope.resources, scope.state.clone())?,
        }
        Ok(())
    }

    /// A form in a layer that is switched off, for the number of its words.
    fn unseen(&mut self, stream: &Stream<'a>, scope: &Scope<'_, 'a>) -> Result<(), Late> {
        self.marks.begin("OC", None, true, self.raw.glyphs.len());
        let done = self.form(stream, scope.resources, scope.state.clone());
        self.marks.end(&mut self.raw.glyphs);
        done
    }

    fn form(&mut self, stream: &Stream<'a>, outer: &Resources<'a>, mut state: State<'a>) -> Result<(), Late> {
        if self.depth >= DEPTH {
            return Ok(());
        }
        let Ok(data) = stream.decoded_data() else { return Ok(()) };
        let dict = stream.dict();
        state.ctm = Matrix(dict.get::<[f64; 6]>(b"Matrix".as_slice()).unwrap_or(Matrix::IDENTITY.0)).then(state.ctm);
        let own = dict.get::<Dict<'a>>(b"Resources".as_slice()).map(Resources::new);
        self.depth += 1;
        let done = self.content(TypedIter::new(&data), own.as_ref().unwrap_or(outer), state);
        self.depth -= 1;
        done
    }

    /// Appearances of annotations that show (form fields, typed comments): text that a reader sees.
    fn annotations(&mut self, page: &Page<'a>, start: Matrix) -> Result<(), Late> {
        let Some(annotations) = page.raw().get::<Array<'a>>(b"Annots".as_slice()) else { return Ok(()) };
        for annotation in annotations.iter::<Dict<'a>>() {
            let flags = annotation.get::<u32>(b"F".as_slice()).unwrap_or(0);
            // Hidden (bit 2) and no view (bit 6).
            if flags & (1 << 1 | 1 << 5) != 0 || self.hidden.hides(&annotation, b"OC") {
                continue;
            }
            if let Some((stream, placed)) = appearance(&annotation) {
                self.form(&stream, page.resources(), State::new(placed.then(start)))?;
            }
        }
        Ok(())
    }
}

impl<'a> Scope<'_, 'a> {
    fn set_line(&mut self, matrix: Matrix) {
        self.text = matrix;
        self.line = matrix;
    }

    fn next_line(&mut self, x: f64, y: f64) {
        self.set_line(Matrix::shift(x, y).then(self.line));
    }

    /// Moves the pen by a number of a `TJ` array, in thousandths of the font size backwards.
    fn adjust(&mut self, number: f64) {
        let by = -number / 1000.0 * self.state.size;
        let horizontal = self.state.face.as_ref().is_none_or(|face| face.horizontal);
        let (x, y) = if horizontal { (by * self.state.stretch, 0.0) } else { (0.0, by) };
        self.text = Matrix::shift(x, y).then(self.text);
    }

    fn advance(&mut self, face: &Face<'a>, advance: f64, word_space: f64) {
        let by = advance * self.state.size + self.state.char_space + word_space;
        let (x, y) = if face.horizontal { (by * self.state.stretch, 0.0) } else { (0.0, by) };
        self.text = Matrix::shift(x, y).then(self.text);
    }
}

/// Font size and width of an em in points; `em` is the font's in units of its size.
#[expect(clippy::cast_possible_truncation, reason = "a font size in points")]
fn sizes(glyph_space: Matrix, em: f64) -> (f32, f32) {
    let (wide, high) = glyph_space.scales();
    let (size, wide) = ((high * em) as f32, (wide * em) as f32);
    // Rounding makes no condensed text.
    if (wide - size).abs() > 0.01 * size { (size, wide.clamp(0.2 * size, 5.0 * size)) } else { (size, size) }
}

/// Character spacing on the page, in points.
#[expect(clippy::cast_possible_truncation, reason = "points on a page")]
fn spacing(state: &State<'_>, text: Matrix) -> f32 {
    if state.char_space == 0.0 {
        return 0.0;
    }
    let spacing = (state.char_space * state.stretch * text.then(state.ctm).scales().0) as f32;
    if spacing.is_finite() { spacing } else { 0.0 }
}

fn matrix(numbers: [&Number; 6]) -> Matrix {
    Matrix(numbers.map(Number::as_f64))
}

/// The normal appearance of an annotation and the matrix that places it (ISO 32000-1, 12.5.5).
fn appearance<'a>(annotation: &Dict<'a>) -> Option<(Stream<'a>, Matrix)> {
    let normal = annotation.get::<Dict<'a>>(b"AP".as_slice())?.get::<Object<'a>>(b"N".as_slice())?;
    let stream = match normal {
        Object::Stream(stream) => stream,
        Object::Dict(states) => {
            let state = annotation.get::<Name<'a>>(b"AS".as_slice())?;
            states.get::<Stream<'a>>(state.as_ref())?
        }
        _ => return None,
    };
    let rect = annotation.get::<Rect>(b"Rect".as_slice())?;
    let bbox = stream.dict().get::<[f64; 4]>(b"BBox".as_slice())?;
    let own = Matrix(stream.dict().get::<[f64; 6]>(b"Matrix".as_slice()).unwrap_or(Matrix::IDENTITY.0));
    let corners = [(bbox[0], bbox[1]), (bbox[2], bbox[1]), (bbox[0], bbox[3]), (bbox[2], bbox[3])];
    let corners = corners.map(|(x, y)| own.apply(x, y));
    let low = |pick: fn(&(f64, f64)) -> f64| corners.iter().map(pick).fold(f64::INFINITY, f64::min);
    let high = |pick: fn(&(f64, f64)) -> f64| corners.iter().map(pick).fold(f64::NEG_INFINITY, f64::max);
    let (x0, y0) = (low(|c| c.0), low(|c| c.1));
    let (width, height) = (high(|c| c.0) - x0, high(|c| c.1) - y0);
    if width <= 0.0 || height <= 0.0 {
        return None;
    }
    let (sx, sy) = ((rect.x1 - rect.x0) / width, (rect.y1 - rect.y0) / height);
    Some((stream, Matrix([sx, 0.0, 0.0, sy, rect.x0 - sx * x0, rect.y0 - sy * y0])))
}
