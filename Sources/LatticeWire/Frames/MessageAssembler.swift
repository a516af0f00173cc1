import LatticeCoding

/// Joins the chunks of large messages and refuses frames that may not come where they came.
///
/// A message in one frame passes through where it lies. Chunks of one message may have frames of other channels and
/// control messages of the same channel between them, but no other data message of the same channel.
package struct MessageAssembler: Sendable {
    /// A message whose last chunk has not come.
    private struct Assembly {
        let kind: MessageKind
        var bytes: [UInt8]
        /// What this message is charged with: the capacity that was asked for, in bytes.
        var reserved: Int
        /// How often it got less than twice its room, since others had the rest.
        var tightGrowths = 0
    }

    /// Bytes that one joined message may have.
    package let maximumMessage: Int
    /// Bytes that all unfinished messages may reserve together.
    package let maximumAssembly: Int
    /// Messages that may be unfinished at the same time.
    package let maximumAssemblies: Int
    /// Bytes that the unfinished messages have reserved. Never above ``maximumAssembly``.
    package private(set) var reservedBytes = 0
    /// Where the process counts what its sessions have reserved; nil: nowhere.
    package var share: AssemblyBudget.Share?

    private var assemblies: [UInt32: Assembly] = [:]
    private var opened: OpenedChannels

    /// - Parameter sender: whose messages these are, and whose channels they open.
    package init(
        from sender: SessionSide,
        maximumMessage: Int = FrameLimits.maximumMessage,
        maximumAssembly: Int = FrameLimits.maximumAssembly,
        maximumAssemblies: Int = FrameLimits.maximumAssemblies
    ) {
        opened = OpenedChannels(by: sender)
        self.maximumMessage = maximumMessage
        self.maximumAssembly = maximumAssembly
        self.maximumAssemblies = maximumAssemblies
    }

    /// Messages whose last chunk has not come.
    package var unfinishedMessages: Int { assemblies.count }

    /// Takes one frame.
    ///
    /// - Parameters:
    ///   - header: the frame's header, as ``FrameDecoder`` gave it.
    ///   - body: the frame's body.
    ///   - message: is called with a whole message: its kind, its channel, and its bytes, valid only during the call.
    /// - Throws: ``WireError`` for a violation, or what `message` threw.
    /// - Complexity: O(1) for a message in one frame, else amortized O(*n*), where *n* is the number of bytes of the
    ///   frame.
    package mutating func receive(
        _ header: FrameHeader,
        _ body: UnsafeRawBufferPointer,
        _ message: (MessageKind, UInt32, UnsafeRawBufferPointer) throws(WireError) -> Void
    ) throws(WireError) {
        guard let kind = MessageKind(rawValue: header.kind) else {
            guard header.flags.contains(.skippable) else { throw .unknownKind(header.kind) }
            return
        }
        guard kind.isSessionKind == (header.channel == 0) else { throw .badChannel(header.channel, kind: kind) }
        let hasMore = header.flags.contains(.more)
        if kind.lane == .control {
            guard !hasMore else { throw .chunkedControl(kind) }
            return try message(kind, header.channel, body)
        }
        guard !assemblies.isEmpty, let index = assemblies.index(forKey: header.channel) else {
            // With its first chunk: large ones that begin in order may end in another.
            if kind == .open { try opened.open(header.channel) }
            guard hasMore else { return try message(kind, header.channel, body) }
            return try begin(kind, header.channel, body)
        }
        let open = assemblies.values[index].kind
        guard open == kind else { throw .interleavedChunk(kind, inside: open, channel: header.channel) }
        // Where it lies: a copy for each chunk would cost the square of the size.
        try Self.append(body, to: &assemblies.values[index], &reservedBytes, maximumMessage, maximumAssembly, share)
        if !hasMore { try finish(assemblies.remove(at: index).value, header.channel, message) }
    }

    private mutating func begin(
        _ kind: MessageKind,
        _ channel: UInt32,
        _ body: UnsafeRawBufferPointer
    ) throws(WireError) {
        guard assemblies.count < maximumAssemblies else { throw .tooManyAssemblies(maximum: maximumAssemblies) }
        var assembly = Assembly(kind: kind, bytes: [], reserved: 0)
        try Self.append(body, to: &assembly, &reservedBytes, maximumMessage, maximumAssembly, share)
        assemblies[channel] = assembly
    }

    private mutating func finish(
        _ assembly: Assembly,
        _ channel: UInt32,
        _ message: (MessageKind, UInt32, UnsafeRawBufferPointer) throws(WireError) -> Void
    ) throws(WireError) {
        reservedBytes -= assembly.reserved
        try share?.hold(reservedBytes)
        try assembly.bytes.withBytes { bytes throws(WireError) in
            try message(assembly.kind, channel, bytes)
        }
    }

    /// Reserves by doubling, but never above one of the limits, and before a byte is copied.
    ///
    /// Static, because a copy of `self` would make the bytes shared, and so every change a copy of all.
    private static func append(
        _ body: UnsafeRawBufferPointer,
        to assembly: inout Assembly,
        _ reservedBytes: inout Int,
        _ maximumMessage: Int,
        _ maximumAssembly: Int,
        _ share: AssemblyBudget.Share?
    ) throws(WireError) {
        let needed = assembly.bytes.count + body.count
        guard needed <= maximumMessage else {
            throw .messageTooLarge(assembly.kind, actual: needed, maximum: maximumMessage)
        }
        if needed > assembly.reserved {
            let others = reservedBytes - assembly.reserved
            guard others + needed <= maximumAssembly else {
                throw .assemblyTooLarge(actual: others + needed, maximum: maximumAssembly)
            }
            let doubled = min(2 * assembly.reserved, maximumMessage)
            let wanted = max(needed, min(doubled, maximumAssembly - others))
            if wanted < doubled { assembly.tightGrowths += 1 }
            guard assembly.tightGrowths <= FrameLimits.maximumTightGrowths else {
                throw .assemblyTooLarge(actual: others + doubled, maximum: maximumAssembly)
            }
            try share?.hold(others + wanted)
            assembly.bytes.reserveCapacity(wanted)
            reservedBytes = others + wanted
            assembly.reserved = wanted
        }
        assembly.bytes.append(contentsOf: body)
    }
}
