// Every sentence of a wire error stands here, so that wording and tests have one place.

// MARK: Frames

extension WireError {
    @inline(never) static func emptyBody(kind: UInt16) -> WireError {
        WireError(.badLength, "A frame of kind \(kind) has an empty body; a body has at least 1 byte.")
    }

    @inline(never) static func frameTooLarge(kind: UInt16, actual: Int, maximum: Int) -> WireError {
        WireError(
            .tooLarge,
            "A frame of kind \(kind) announces a body of \(actual) bytes; \(maximum) are allowed here."
        )
    }

    @inline(never) static func unknownFlags(_ flags: UInt8, kind: UInt16) -> WireError {
        WireError(.badFlags, "A frame of kind \(kind) has the flags \(flags); only bits 0 and 1 have a meaning.")
    }

    @inline(never) static func reservedByte(_ byte: UInt8, kind: UInt16) -> WireError {
        WireError(.reservedByte, "Byte 7 of a frame of kind \(kind) is \(byte); it must be 0.")
    }

    @inline(never) static func chunkedControl(_ kind: MessageKind) -> WireError {
        WireError(.badFlags, "A frame of kind \(kind) says that more chunks follow; only data messages have chunks.")
    }

    @inline(never) static func unknownKind(_ kind: UInt16) -> WireError {
        WireError(
            .unknownKind,
            "Kind \(kind) is not known to version \(WireVersion.current) and its frame is not skippable."
        )
    }

    @inline(never) static func badChannel(_ channel: UInt32, kind: MessageKind) -> WireError {
        WireError(
            .badChannel,
            kind.isSessionKind
                ? "A message of kind \(kind) came on channel \(channel); it belongs on channel 0."
                : "A message of kind \(kind) came on channel 0; it belongs on the channel of a feature."
        )
    }
}

// MARK: Messages made of frames

extension WireError {
    @inline(never) static func interleavedChunk(_ kind: MessageKind, inside open: MessageKind, channel: UInt32)
        -> WireError
    {
        WireError(
            .outOfOrder,
            "A frame of kind \(kind) came on channel \(channel) before the last chunk of a message of kind \(open)."
        )
    }

    @inline(never) static func channelOfOtherSide(_ number: UInt32, opener: SessionSide) -> WireError {
        WireError(
            .outOfOrder,
            opener == .initiator
                ? "An open names channel \(number); who began the session opens channels with odd numbers."
                : "An open names channel \(number); who accepted the session opens channels with even numbers."
        )
    }

    @inline(never) static func channelOutOfOrder(_ number: UInt32, after highest: UInt32) -> WireError {
        WireError(
            .outOfOrder,
            "An open names channel \(number) after channel \(highest); each open names a higher number than all before"
                + " it."
        )
    }

    @inline(never) static func messageTooLarge(_ kind: MessageKind, actual: Int, maximum: Int) -> WireError {
        WireError(.tooLarge, "A message of kind \(kind) has at least \(actual) bytes; \(maximum) are allowed.")
    }

    @inline(never) static func assemblyTooLarge(actual: Int, maximum: Int) -> WireError {
        WireError(.tooLarge, "The unfinished messages of a session take \(actual) bytes; \(maximum) are allowed.")
    }

    @inline(never) static func sharedAssemblyTooLarge(actual: Int, maximum: Int) -> WireError {
        WireError(
            .tooLarge,
            "The unfinished messages of all sessions take more than \(maximum) bytes, and of these this session"
                + " has the most, \(actual).",
            cause: AssemblyBudget.Spent()
        )
    }

    @inline(never) static func tooManyAssemblies(maximum: Int) -> WireError {
        WireError(.tooLarge, "A session has more than \(maximum) unfinished messages at the same time.")
    }
}

// MARK: Bodies

extension WireError {
    @inline(never) static func truncated(at offset: Int, needed: Int, remaining: Int) -> WireError {
        WireError(.malformedBody, "The value at byte \(offset) needs \(needed) more bytes; \(remaining) are left.")
    }

    @inline(never) static func countTooLarge(_ count: UInt64, at offset: Int, remaining: Int) -> WireError {
        WireError(
            .malformedBody,
            "The header at byte \(offset) announces \(count) elements; the \(remaining) bytes left cannot hold them."
        )
    }

    @inline(never) static func notShortest(at offset: Int) -> WireError {
        WireError(.malformedBody, "The head at byte \(offset) is longer than its value needs.")
    }

    @inline(never) static func reservedHead(_ byte: UInt8, at offset: Int) -> WireError {
        WireError(.malformedBody, "The byte \(byte) at \(offset) begins no value.")
    }

    @inline(never) static func indefinite(at offset: Int) -> WireError {
        WireError(.malformedBody, "The value at byte \(offset) has no length; lengths are written first.")
    }

    @inline(never) static func tooDeep(at offset: Int, maximum: Int) -> WireError {
        WireError(.malformedBody, "The value at byte \(offset) is nested deeper than \(maximum) levels.")
    }

    @inline(never) static func invalidUTF8(at offset: Int) -> WireError {
        WireError(.malformedBody, "The text at byte \(offset) is not UTF-8.")
    }

    @inline(never) static func trailingBytes(_ count: Int, at offset: Int) -> WireError {
        WireError(.malformedBody, "\(count) bytes follow the end of the value at byte \(offset).")
    }

    @inline(never) static func unsortedKey(_ key: UInt64, after last: UInt64, in message: String) -> WireError {
        WireError(.malformedBody, "Key \(key) of \(message) comes after key \(last); keys ascend.")
    }
}

// MARK: Fields

extension WireError {
    @inline(never) static func wrongType(_ found: CBORType, expected: String, at offset: Int) -> WireError {
        WireError(.badField, "The value at byte \(offset) is \(found), not \(expected).")
    }

    @inline(never) static func outOfRange(_ value: String, maximum: String, at offset: Int) -> WireError {
        WireError(.badField, "The number \(value) at byte \(offset) is outside the range up to \(maximum).")
    }

    @inline(never) static func missing(_ field: String, in message: String) -> WireError {
        WireError(.missingField, "\(message) lacks its field '\(field)'.")
    }

    @inline(never) static func duplicate(key: UInt64, in message: String) -> WireError {
        WireError(.duplicateField, "Key \(key) occurs twice in \(message).")
    }

    @inline(never) static func duplicateKey(_ key: String, at offset: Int) -> WireError {
        WireError(.duplicateField, "The key '\(key)' at byte \(offset) occurs twice in its map.")
    }

    @inline(never) static func badValue(_ value: UInt64, field: String) -> WireError {
        WireError(.badField, "The field '\(field)' has the value \(value), which has no meaning.")
    }

    @inline(never) static func badRange(minimum: UInt16, maximum: UInt16) -> WireError {
        WireError(.badField, "The lowest version \(minimum) is above the highest version \(maximum).")
    }

    @inline(never) static func fieldTooLarge(_ field: String, actual: Int, maximum: Int) -> WireError {
        WireError(.tooLarge, "The field '\(field)' has the size \(actual); at most \(maximum) is allowed.")
    }

    @inline(never) static func fieldTooSmall(_ field: String, actual: Int, minimum: Int) -> WireError {
        WireError(.badField, "The field '\(field)' has the size \(actual); at least \(minimum) is needed.")
    }

    @inline(never) static func emptyField(_ field: String) -> WireError {
        WireError(.badField, "The field '\(field)' is empty.")
    }

    @inline(never) static func emptyVariant(_ field: String) -> WireError {
        WireError(.missingField, "The field '\(field)' is an array without the number that says what it is.")
    }
}

// MARK: Session

extension WireError {
    /// Anything but a handshake message on a session without a finished handshake.
    @inline(never) package static func beforeHandshake(kind: UInt16) -> WireError {
        WireError(
            .handshake,
            "A frame of kind \(kind) came before the handshake was done; nothing else may come first."
        )
    }

    /// A second handshake on a session that has had one.
    @inline(never) package static func repeatedHandshake(_ kind: MessageKind) -> WireError {
        WireError(.handshake, "A message of kind \(kind) came after the handshake was done.")
    }

    /// A message that is well formed and has no business where it came.
    @inline(never) package static func unexpected(_ kind: MessageKind, at receiver: String) -> WireError {
        WireError(.outOfOrder, "A message of kind \(kind) came to \(receiver), which takes none.")
    }

    @inline(never) package static func notOpen(_ channel: UInt32, _ kind: MessageKind) -> WireError {
        WireError(.outOfOrder, "A message of kind \(kind) came on channel \(channel), which is not open.")
    }

    /// A rule that spans several messages was broken.
    @inline(never) package static func session(_ sentence: String) -> WireError {
        WireError(.outOfOrder, sentence)
    }
}
