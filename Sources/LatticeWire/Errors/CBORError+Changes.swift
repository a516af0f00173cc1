import LatticeCoding

// The faults of a change, and of the value to which it is applied.
extension CBORError {
    @inline(never) static func badOperation(at offset: Int) -> CBORError {
        CBORError(.unexpected, "The array at byte \(offset) is neither a change nor a piece of one.")
    }

    @inline(never) static func emptyChange(at offset: Int) -> CBORError {
        CBORError(.unexpected, "The change at byte \(offset) has an empty part.")
    }

    @inline(never) static func noSuchEntry(at offset: Int) -> CBORError {
        CBORError(.unexpected, "The change at byte \(offset) applies to an entry that does not exist.")
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
        CBORError(.tooLarge, "The result of the change has \(actual) bytes; at most \(maximum) are allowed.")
    }
}
