/// A key that was pressed.
package enum Key: Equatable, Sendable {
    /// A scalar of text. The scalars of one character may arrive as several keys.
    case text(Unicode.Scalar)
    /// The up arrow.
    case up
    /// The down arrow.
    case down
    /// The Enter key.
    case enter
    /// The Escape key.
    case escape
    /// The Backspace key.
    case backspace
    /// Control-C or Control-D.
    case interrupt
    /// A key without a meaning in the examples, such as F1.
    case other
}
