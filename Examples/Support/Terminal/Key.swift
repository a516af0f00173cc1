/// What was pressed.
package enum Key: Equatable, Sendable {
    /// A piece of text; what belongs to one character may come as several.
    case text(Unicode.Scalar)
    case up
    case down
    case enter
    case escape
    case backspace
    /// Control-C or Control-D.
    case interrupt
    /// A key without a meaning here, such as F1.
    case other
}
