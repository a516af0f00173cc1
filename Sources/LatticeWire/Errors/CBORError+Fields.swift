import LatticeCoding

// The faults that the fields of a message can have.
extension CBORError {
    @inline(never) static func unsortedKey(_ key: UInt64, after last: UInt64, in message: String) -> CBORError {
        CBORError(.malformed, "Key \(key) of \(message) comes after key \(last); keys ascend.")
    }

    @inline(never) static func missing(_ field: String, in message: String) -> CBORError {
        CBORError(.missing, "\(message) lacks its field '\(field)'.")
    }

    @inline(never) static func duplicate(key: UInt64, in message: String) -> CBORError {
        CBORError(.duplicate, "Key \(key) occurs twice in \(message).")
    }

    @inline(never) static func badValue(_ value: UInt64, field: String) -> CBORError {
        CBORError(.unexpected, "The field '\(field)' has the value \(value), which has no meaning.")
    }

    @inline(never) static func badRange(minimum: UInt16, maximum: UInt16) -> CBORError {
        CBORError(.unexpected, "The lowest version \(minimum) is above the highest version \(maximum).")
    }

    @inline(never) static func fieldTooLarge(_ field: String, actual: Int, maximum: Int) -> CBORError {
        CBORError(.tooLarge, "The field '\(field)' has the size \(actual); at most \(maximum) is allowed.")
    }

    @inline(never) static func fieldTooSmall(_ field: String, actual: Int, minimum: Int) -> CBORError {
        CBORError(.unexpected, "The field '\(field)' has the size \(actual); at least \(minimum) is needed.")
    }

    @inline(never) static func emptyField(_ field: String) -> CBORError {
        CBORError(.unexpected, "The field '\(field)' is empty.")
    }

    @inline(never) static func emptyVariant(_ field: String) -> CBORError {
        CBORError(.missing, "The field '\(field)' is an array without the number of its case.")
    }
}

extension WireError {
    /// Makes the violation that a message reports for a fault in its bytes.
    init(_ error: CBORError) {
        let code: Code =
            switch error.code {
            case .malformed: .malformedBody
            case .duplicate: .duplicateField
            case .unexpected: .badField
            case .missing: .missingField
            case .tooLarge: .tooLarge
            }
        self.init(code, error.sentence)
    }
}
