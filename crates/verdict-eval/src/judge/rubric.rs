//! What a judge is to look for: a Markdown file with a title and a list.

/// A rubric, as its file says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rubric {
    /// The text of its first heading.
    pub title: String,
    /// The items of its lists (`- `), in order; the judge names them by number, from 1.
    pub criteria: Vec<String>,
    /// Hash over the file's bytes, in hexadecimal.
    pub hash: String,
}

/// What is wrong with a rubric's file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RubricError {
    /// Not text.
    #[error("the rubric is not UTF-8 text: save it as UTF-8")]
    NotText,
    /// Nothing that says what it is about.
    #[error("the rubric has no heading: begin it with `# ` and what is judged")]
    NoTitle,
    /// Nothing to judge by.
    #[error("the rubric has no criteria: write each as a list item that begins with `- `")]
    NoCriteria,
    /// A list item without words.
    #[error("line {0}: the criterion is empty: write what must be true, or delete the line")]
    Empty(usize),
    /// The same item twice.
    #[error("line {0}: this criterion stands in the rubric already: delete one of them")]
    Repeated(usize),
    /// More than a judge can hold.
    #[error("the rubric has more than {MOST} criteria: judge fewer things, or in several cases")]
    TooMany,
}

/// How many criteria a rubric may have.
const MOST: usize = 30;

impl Rubric {
    /// Reads a rubric. Lines that are indented under an item belong to it; all other text is for people alone.
    pub fn read(bytes: &[u8]) -> Result<Self, RubricError> {
        let text = std::str::from_utf8(bytes).map_err(|_| RubricError::NotText)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut title = None;
        let mut items: Vec<(usize, String)> = Vec::new();
        let (mut is_in_item, mut is_code) = (false, false);
        for (line, number) in text.lines().zip(1..) {
            if line.trim_start().starts_with("```") {
                is_code = !is_code;
                is_in_item = false;
            } else if is_code {
            } else if let Some(item) = line.strip_prefix("- ").or((line == "-").then_some("")) {
                items.push((number, item.trim().to_owned()));
                is_in_item = true;
            } else if let Some(heading) = line.strip_prefix("# ") {
                title.get_or_insert_with(|| heading.trim().to_owned());
                is_in_item = false;
            } else if is_in_item && line.starts_with([' ', '\t']) && !line.trim().is_empty() {
                if let Some((_, item)) = items.last_mut() {
                    item.push(' ');
                    item.push_str(line.trim());
                }
            } else {
                is_in_item = false;
            }
        }
        Ok(Self {
            title: title
                .filter(|it| !it.is_empty())
                .ok_or(RubricError::NoTitle)?,
            criteria: checked(items)?,
            hash: format!("{:016x}", super::fnv(bytes)),
        })
    }
}

fn checked(items: Vec<(usize, String)>) -> Result<Vec<String>, RubricError> {
    let mut criteria: Vec<String> = Vec::new();
    for (line, item) in items {
        if item.is_empty() {
            return Err(RubricError::Empty(line));
        }
        if criteria.contains(&item) {
            return Err(RubricError::Repeated(line));
        }
        criteria.push(item);
        if criteria.len() > MOST {
            return Err(RubricError::TooMany);
        }
    }
    if criteria.is_empty() {
        return Err(RubricError::NoCriteria);
    }
    Ok(criteria)
}

#[cfg(test)]
mod tests {
    use super::{Rubric, RubricError};

    #[test]
    fn title_and_list_items_are_read_and_the_rest_is_for_people() {
        let text = "\u{feff}# Invoice\r\n\r\nWords.\r\n- Names the total,\r\n  with its currency.\r\n\r\n## More\r\n```\r\n- code\r\n```\r\n- Says when.\r\n";
        let rubric = Rubric::read(text.as_bytes()).unwrap();
        assert_eq!(rubric.title, "Invoice");
        assert_eq!(
            rubric.criteria,
            ["Names the total, with its currency.", "Says when."]
        );
        assert_eq!(rubric.hash.len(), 16);
        let other = Rubric::read(text.replace("Words", "Other words").as_bytes()).unwrap();
        assert_ne!(rubric.hash, other.hash, "the hash is over every byte");
    }

    #[test]
    fn a_file_that_is_no_rubric_says_why() {
        let error = |text: &str| Rubric::read(text.as_bytes()).unwrap_err();
        assert_eq!(error("- a\n"), RubricError::NoTitle);
        assert_eq!(error("# T\n* a\n"), RubricError::NoCriteria);
        assert_eq!(error("# T\n-\n"), RubricError::Empty(2));
        assert_eq!(error("# T\n- a\n- b\n- a\n"), RubricError::Repeated(4));
        let many: Vec<String> = (0..31).map(|it| format!("- {it}")).collect();
        assert_eq!(
            error(&format!("# T\n{}", many.join("\n"))),
            RubricError::TooMany
        );
        assert_eq!(Rubric::read(b"# T\n- \xff\n"), Err(RubricError::NotText));
    }
}
