import CLatticeSystem

/// Reads what another program writes into a pipe, on an event loop's thread, until nobody can write any more.
package final class PipeReader: Registrant, @unchecked Sendable {
    // Unchecked: everything that changes belongs to the event loop's thread, which alone closes the descriptor.

    /// Bytes that one tick takes: who floods the pipe does not keep the thread from others.
    private static let bytesPerTick = 16 * 1024

    private let reactor: Reactor
    private let descriptor: OwnedDescriptor

    // MARK: The event loop's thread

    private enum State {
        case idle
        case reading(Registration, @Sendable (UnsafeRawBufferPointer) -> Void, @Sendable (TransportError?) -> Void)
        case over
    }

    private var state = State.idle

    /// A pipe: its reading end, to be read on `reactor`, and its writing end, to give to another program.
    ///
    /// - Throws: `.system` if there is no room for another descriptor.
    package static func pipe(
        reactor: Reactor
    ) throws(TransportError) -> (reader: PipeReader, writing: OwnedDescriptor) {
        var ends: [Int32] = [-1, -1]
        let error = lattice_pipe(&ends)
        guard error == 0 else { throw .system("make a pipe", error) }
        return (PipeReader(OwnedDescriptor(ends[0]), reactor), OwnedDescriptor(ends[1]))
    }

    private init(_ descriptor: OwnedDescriptor, _ reactor: Reactor) {
        self.descriptor = descriptor
        self.reactor = reactor
    }

    /// Begins to read. Any thread, once.
    ///
    /// - Parameters:
    ///   - onBytes: Called on the event loop's thread. The bytes are valid during the call.
    ///   - onEnd: Called once, on the event loop's thread: at the end, after `close`, or with what went wrong.
    package func start(
        onBytes: @escaping @Sendable (UnsafeRawBufferPointer) -> Void,
        onEnd: @escaping @Sendable (TransportError?) -> Void
    ) {
        reactor.execute { self.begin(onBytes, onEnd) }
    }

    /// Reads no more, whoever may still write. Any thread, idempotent.
    package func close() {
        reactor.execute { self.finish(nil) }
    }

    private func begin(
        _ onBytes: @escaping @Sendable (UnsafeRawBufferPointer) -> Void,
        _ onEnd: @escaping @Sendable (TransportError?) -> Void
    ) {
        guard case .idle = state else { return onEnd(nil) }
        let registration = reactor.register(self)
        state = .reading(registration, onBytes, onEnd)
        let error = reactor.watch(descriptor.number, registration, from: [], to: .readable)
        if error != 0 { finish(.system("watch a pipe", error)) }
    }

    package func ready(_ readiness: Readiness) {
        guard case .reading(_, let onBytes, _) = state else { return }
        let buffer = UnsafeMutableRawBufferPointer(rebasing: reactor.buffer[..<Self.bytesPerTick])
        switch System.read(descriptor.number, into: buffer) {
        case .moved(0): finish(nil)
        case .moved(let count): onBytes(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        case .wouldBlock, .noMemory: break
        case .failed(let error): finish(.system("read from a pipe", error))
        }
    }

    package func eventLoopStops() {
        finish(nil)
    }

    private func finish(_ error: TransportError?) {
        defer { descriptor.close() }
        let old = state
        state = .over
        guard case .reading(let registration, _, let onEnd) = old else { return }
        _ = reactor.watch(descriptor.number, registration, from: .readable, to: [])
        reactor.deregister(registration)
        onEnd(error)
    }
}
