// What only the two ends of a session can find wrong.

extension WireError {
    /// A message that is well formed and has no business where it came.
    @inline(never)
    package static func unexpected(_ kind: MessageKind, at receiver: String) -> WireError {
        WireError(code: .outOfOrder, sentence: "A message of kind \(kind) came to \(receiver), which takes none.")
    }

    @inline(never)
    package static func notOpen(_ channel: UInt32, _ kind: MessageKind) -> WireError {
        WireError(
            code: .outOfOrder,
            sentence: "A message of kind \(kind) came on channel \(channel), which is not open."
        )
    }

    /// A rule that spans several messages was broken.
    @inline(never)
    package static func session(_ sentence: String) -> WireError {
        WireError(code: .outOfOrder, sentence: sentence)
    }
}
