import ArgumentParser

/// A command line for the shell, in which {} stands for a file.
struct Command {
    /// The text around the places of the file.
    private let pieces: [String]

    /// Reads a command. Without {}, the file is the last argument.
    ///
    /// - Throws: An error for a {} that stands where the shell would not take the quoted name as one word.
    init(_ text: String) throws {
        var (pieces, place) = ([""], Place.open)
        var previous: Character?
        var rest = text[...]
        while let character = rest.first {
            guard rest.hasPrefix("{}") else {
                place = place.after(character, previous: previous)
                previous = character
                pieces[pieces.count - 1].append(rest.removeFirst())
                continue
            }
            guard place == .open else {
                throw ValidationError(
                    "write {} without quotes, backslashes or comments around it, and before any << or $', because farm"
                        + " quotes the name itself"
                )
            }
            pieces.append("")
            previous = "}"
            rest = rest.dropFirst(2)
        }
        self.pieces = pieces.count > 1 ? pieces : [text + " ", ""]
    }

    /// The command for the shell. It gets the name of the file in a variable, so that no name is taken for a part of
    /// the command.
    func line(withFileIn variable: String) -> String { pieces.joined(separator: "\"$\(variable)\"") }

    /// What the shell does with the next character.
    private enum Place {
        /// It is a part of a word.
        case open
        /// It has no meaning of its own.
        case escaped
        /// It stands in single quotes, in double quotes, or there after a backslash.
        case single, double, escapedInDouble
        /// It stands in a comment, which ends with the line.
        case comment
        /// It stands behind << or $', whose quotes follow other rules.
        case unclear

        func after(_ character: Character, previous: Character?) -> Place {
            switch (self, character) {
            case (.open, "\\"): .escaped
            case (.open, "'"): previous == "$" ? .unclear : .single
            case (.open, "\""): .double
            case (.open, "#"): previous.map { " \t\n;&|()`".contains($0) } ?? true ? .comment : .open
            case (.open, "<"): previous == "<" ? .unclear : .open
            case (.single, "'"), (.double, "\""), (.escaped, _): .open
            case (.double, "\\"): .escapedInDouble
            case (.escapedInDouble, _): .double
            case (.comment, "\n"): .open
            default: self
            }
        }
    }
}
