// All sentences of wire errors are in this file, so that their wording and their tests have one place.

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
                ? "An open names channel \(number); the side that began the session opens channels with odd numbers."
                : "An open names channel \(number); the side that accepted the session opens channels with even"
                    + " numbers."
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

// MARK: Payloads in parts

extension WireError {
    @inline(never) static func payloadTooLarge(_ kind: MessageKind, actual: UInt64, maximum: Int) -> WireError {
        WireError(
            .tooLarge,
            "A message of kind \(kind) announces a payload of \(actual) bytes in parts; \(maximum) are allowed here."
        )
    }

    @inline(never) static func partWithoutBeginning(channel: UInt32) -> WireError {
        WireError(.outOfOrder, "A part came on channel \(channel), and no message there has begun a payload in parts.")
    }

    @inline(never) static func messageInsideParts(_ kind: MessageKind, of open: MessageKind, channel: UInt32)
        -> WireError
    {
        WireError(
            .outOfOrder,
            "A message of kind \(kind) came on channel \(channel) before the last part of a payload of kind \(open)."
        )
    }

    @inline(never) static func partsTooLong(actual: Int, announced: Int, channel: UInt32) -> WireError {
        WireError(
            .tooLarge,
            "The parts on channel \(channel) have at least \(actual) bytes; \(announced) were announced."
        )
    }

    @inline(never) static func creditExceeded(actual: Int, granted: Int, channel: UInt32) -> WireError {
        WireError(
            .tooLarge,
            "The parts on channel \(channel) have \(actual) bytes so far; there is credit for \(granted)."
        )
    }
}

// MARK: Session

extension WireError {
    /// A message other than a handshake message on a session whose handshake is not finished.
    @inline(never) package static func beforeHandshake(kind: UInt16) -> WireError {
        WireError(
            .handshake,
            "A frame of kind \(kind) came before the handshake was done; nothing else may come first."
        )
    }

    /// A second handshake on a session.
    @inline(never) package static func repeatedHandshake(_ kind: MessageKind) -> WireError {
        WireError(.handshake, "A message of kind \(kind) came after the handshake was done.")
    }

    /// A well-formed message at a receiver that does not expect its kind.
    @inline(never) package static func unexpected(_ kind: MessageKind, at receiver: String) -> WireError {
        WireError(
            .outOfOrder,
            "A message of kind \(kind) arrived at \(receiver), which accepts no message of this kind."
        )
    }

    /// A message on a channel that has never been opened.
    @inline(never) package static func notOpen(_ channel: UInt32, _ kind: MessageKind) -> WireError {
        WireError(.outOfOrder, "A message of kind \(kind) came on channel \(channel), which is not open.")
    }

    /// A violation of a rule that spans several messages.
    @inline(never) package static func session(_ sentence: String) -> WireError {
        WireError(.outOfOrder, sentence)
    }
}

// MARK: Calls

extension WireError {
    /// A call whose number is not above that of the call before it.
    @inline(never) package static func callOutOfOrder(_ number: UInt64, after last: UInt64) -> WireError {
        WireError(
            .outOfOrder,
            "A call has the number \(number) after \(last); each has a higher one than all before it."
        )
    }

    /// An answer to a call that was never made.
    @inline(never) package static func unknownCall(_ number: UInt64) -> WireError {
        WireError(.outOfOrder, "An answer names call \(number), which was never made.")
    }

    /// Credit for a call that has never arrived.
    @inline(never) package static func creditForUnknownCall(_ number: UInt64) -> WireError {
        WireError(.outOfOrder, "A credit names call \(number), which never came.")
    }

    /// An empty message of elements after the first one, or a first one that is not empty.
    @inline(never) package static func elementsBeforeStream(_ number: UInt64) -> WireError {
        WireError(.outOfOrder, "The first elements of call \(number) have to be empty, and all later ones must not be.")
    }

    /// Elements that arrive when all credit is used.
    @inline(never) package static func elementsWithoutCredit(_ number: UInt64) -> WireError {
        WireError(
            .tooLarge,
            "Elements arrived for call \(number) without credit; the elements before them used all of it."
        )
    }

    /// More cancels for calls that have not arrived than a receiver remembers.
    @inline(never) package static func tooManyCancels(_ number: UInt64) -> WireError {
        WireError(
            .tooLarge,
            "A cancel names call \(number), which has not arrived; too many such cancels wait for their calls."
        )
    }

    /// A watch whose number is not above that of the watch before it.
    @inline(never) package static func watchOutOfOrder(_ number: UInt64, after last: UInt64) -> WireError {
        WireError(
            .outOfOrder,
            "A watch has the number \(number) after \(last); each has a higher one than all before it."
        )
    }

    /// A message about a watch that was never begun.
    @inline(never) package static func unknownWatch(_ number: UInt64) -> WireError {
        WireError(.outOfOrder, "A message names watch \(number), which was never begun.")
    }

    /// More watches of names than one process may have.
    @inline(never) package static func tooManyWatches(maximum: Int) -> WireError {
        WireError(.tooLarge, "A process watches more than \(maximum) names at a time.")
    }

    /// More names than one process may publish.
    @inline(never) package static func tooManyNames(maximum: Int) -> WireError {
        WireError(.tooLarge, "A process publishes more than \(maximum) names.")
    }
}
