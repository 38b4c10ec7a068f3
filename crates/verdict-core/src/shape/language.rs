//! The words in which the area files describe the wire.
//!
//! A shape is a constant and cannot contain itself, so a walk along it is never deeper than the
//! tables are: however deep a value nests, what the revision leaves open is not entered.

/// What a value has to be.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// Any JSON value, `null` included.
    Any,
    /// A string.
    Text,
    /// A string, unless the member named here is one in its place. Reads like `Text`; only the
    /// words differ.
    TextOr(&'static str),
    /// A boolean.
    Flag,
    /// A number.
    Number,
    /// A number from 0 to 1.
    Share,
    /// An integer; `3.0` is one.
    Whole,
    /// An integer of at least 0.
    Count,
    /// An integer by the published schema, a number by its TypeScript source: a fraction is a soft
    /// violation.
    LooseWhole,
    /// A string, or a number read like `LooseWhole`: request ids and progress tokens.
    Id,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// An array whose items all have the shape.
    List(&'static Shape),
    /// The same with a greatest length.
    ListUpTo(usize, &'static Shape),
    /// An object whose members, whatever their names, all have the shape.
    Map(&'static Shape),
    /// An object with these members and any others.
    Object(&'static [Field]),
    /// An object whose member `tag` says which case it is; the shapes of the cases leave that
    /// member out.
    Tagged {
        /// The member that tells the cases apart.
        tag: &'static str,
        /// The values of the tag, each with what the object has to be then.
        cases: &'static [(&'static str, Shape)],
        /// The value that an absent tag stands for, if it may be absent.
        default: Option<&'static str>,
    },
    /// Several shapes of which one has to fit.
    AnyOf(&'static [Branch]),
    /// A value of the shape, or an array of such values.
    OneOrMany(&'static Shape),
}

impl Shape {
    /// Whether an empty object would be incomplete.
    pub(super) fn has_required_members(&self) -> bool {
        matches!(self, Self::Object(fields) if fields.iter().any(|field| field.required))
    }
}

/// A named member of an object.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) required: bool,
    pub(super) shape: Shape,
}

/// One shape of several. Where none of them fits, the first whose mark is present gets to say what
/// is wrong, because the sender most likely meant that one; without any mark it is the last.
#[derive(Clone, Copy)]
pub(super) struct Branch {
    pub(super) mark: &'static str,
    pub(super) shape: Shape,
}

/// A member that has to be there.
pub(super) const fn must(name: &'static str, shape: Shape) -> Field {
    Field {
        name,
        required: true,
        shape,
    }
}

/// A member that may be left out, but not be `null`.
pub(super) const fn may(name: &'static str, shape: Shape) -> Field {
    Field {
        name,
        required: false,
        shape,
    }
}

/// A branch, told by the member that marks it.
pub(super) const fn marked(mark: &'static str, shape: Shape) -> Branch {
    Branch { mark, shape }
}

/// The last branch, which speaks where no other branch's mark is present.
pub(super) const fn otherwise(shape: Shape) -> Branch {
    Branch { mark: "", shape }
}
