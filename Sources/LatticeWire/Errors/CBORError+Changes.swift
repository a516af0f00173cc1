import LatticeCoding

// What is wrong with a change, or with the value that it is made to.
extension CBORError {
    @inline(never) static func badOperation(at offset: Int) -> CBORError {
        CBORError(.unexpected, "The array at byte \(offset) is no change and no piece of one.")
    }

    @inline(never) static func emptyChange(at offset: Int) -> CBORError {
        CBORError(.unexpected, "The change at byte \(offset) has a part with nothing in it.")
    }

    @inline(never) static func noSuchEntry(at offset: Int) -> CBORError {
        CBORError(.unexpected, "The change at byte \(offset) is made to an entry that is not there.")
    }

    @inline(never) static func repeatedElement(_ index: Int, at offset: Int) -> CBORError {
        CBORError(.unexpected, "The element \(index) is in two pieces of the array at byte \(offset).")
    }

    @inline(never) static func noSuchElement(_ index: Int, count: Int, at offset: Int) -> CBORError {
        CBORError(
            .unexpected,
            "The pieces at byte \(offset) take the element \(index) of an array that has \(count) elements."
        )
    }

    @inline(never) static func unlikeChanges(at offset: Int) -> CBORError {
        CBORError(.unexpected, "The change at byte \(offset) changes a map as an array, or an array as a map.")
    }

    @inline(never) static func unsortedKeys(at offset: Int) -> CBORError {
        CBORError(.malformed, "The key at byte \(offset) sorts before the one in front of it; keys ascend.")
    }

    @inline(never) static func repeatedKey(at offset: Int) -> CBORError {
        CBORError(.duplicate, "The key at byte \(offset) occurs twice in its map.")
    }

    @inline(never) static func changeTooLarge(_ actual: Int, maximum: Int) -> CBORError {
        CBORError(.tooLarge, "What the change leads to has \(actual) bytes; \(maximum) are allowed.")
    }
}
