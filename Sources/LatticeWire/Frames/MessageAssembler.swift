import LatticeCoding

/// Joins the chunks of large messages, and refuses frames that may not arrive at this point.
///
/// A message in one frame passes through without a copy. Frames of other channels and control messages of the same
/// channel may come between the chunks of a message, but no other data message of the same channel.
package struct MessageAssembler: Sendable {
    /// A message whose last chunk has not arrived.
    private struct Assembly {
        let kind: MessageKind
        var bytes: [UInt8]
        /// The capacity in bytes that was requested for this message, which counts against the limits.
        var reserved: Int
        /// How often the capacity grew by less than its double, because other messages have the rest.
        var tightGrowths = 0
    }

    /// The maximum size of a joined message, in bytes.
    package let maximumMessage: Int
    /// The maximum number of bytes that all unfinished messages may reserve together.
    package let maximumAssembly: Int
    /// The maximum number of unfinished messages at the same time.
    package let maximumAssemblies: Int
    /// The number of bytes that the unfinished messages have reserved. It is never above ``maximumAssembly``.
    package private(set) var reservedBytes = 0
    /// The share of the budget for all sessions of the process; nil if the process has no such budget.
    package var share: AssemblyBudget.Share?

    private var assemblies: [UInt32: Assembly] = [:]
    private var opened: OpenedChannels

    /// Creates an assembler for one direction of a session.
    ///
    /// - Parameters:
    ///   - sender: The side that sends these messages, and whose channels they open.
    ///   - maximumMessage: The maximum size of a joined message, in bytes.
    ///   - maximumAssembly: The maximum number of bytes that all unfinished messages may reserve together.
    ///   - maximumAssemblies: The maximum number of unfinished messages at the same time.
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

    /// The number of messages whose last chunk has not arrived.
    package var unfinishedMessages: Int { assemblies.count }

    /// Processes one frame.
    ///
    /// - Parameters:
    ///   - header: The frame's header, as ``FrameDecoder`` delivered it.
    ///   - body: The frame's body.
    ///   - message: A closure that is called with a whole message: its kind, its channel, and its bytes, which are
    ///     valid only during the call.
    /// - Throws: ``WireError`` for a violation, or the error that `message` threw.
    /// - Complexity: O(1) for a message in one frame, otherwise amortized O(*n*), where *n* is the number of bytes of
    ///   the frame.
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
            // The number is checked with the first chunk, because large messages that begin in order may end in another
            // order.
            if kind == .open { try opened.open(header.channel) }
            guard hasMore else { return try message(kind, header.channel, body) }
            return try begin(kind, header.channel, body)
        }
        let open = assemblies.values[index].kind
        guard open == kind else { throw .interleavedChunk(kind, inside: open, channel: header.channel) }
        // Appends in place. A copy for each chunk would make the cost quadratic in the size of the message.
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

    /// Appends a chunk. It reserves memory by doubling, but never above one of the limits, and before it copies a byte.
    ///
    /// The method is static because a copy of `self` would share the bytes, so that each change would copy all of them.
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
