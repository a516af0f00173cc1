/// What stands behind the three backticks that open a block.
enum Fence: String {
    /// Swift that has to compile: it stands in a source file too.
    case swift
    /// Swift that has to fail to compile, which nothing checks: few, and each shows one mistake.
    case swiftError = "swift-error"
    /// What a terminal shows, a drawing, a layout of folders.
    case plain = ""
}
