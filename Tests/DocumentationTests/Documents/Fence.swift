/// The language after the three backticks that open a block.
enum Fence: String {
    /// Swift that has to compile: it stands in a source file too.
    case swift
    /// Swift that has to fail to compile, which nothing checks: few, and each shows one mistake.
    case swiftError = "swift-error"
    /// A change of Swift code. The lines without those that begin with a minus have to compile.
    case diff
    /// A terminal's output, a drawing, or a layout of folders.
    case plain = ""
}
