import CLatticeSystem
package import LatticeTransport

/// Reads the output of another program from a pipe, on an event loop's thread, until no process can write to it any
/// more.
///
/// A program that writes without end is read at a bounded rate. It then waits for the pipe, and the event loop has time
/// for other work.
package final class PipeReader: Registrant, @unchecked Sendable {
    // Unchecked: everything that changes belongs to the event loop's thread, which alone closes the descriptor.

    /// The maximum number of bytes that one tick reads, so that a program that floods the pipe leaves the thread time
    /// for others.
    private static let bytesPerTick = 8 * 1024
    /// The length of a period. After `bytesPerPeriod` bytes or `readsPerPeriod` reads, the next read waits for the end
    /// of the period. That is at most 6.4 MB a second. A program that writes single lines costs 1,600 wake-ups of the
    /// event loop a second.
    private static let period: Duration = .milliseconds(10)
    private static let bytesPerPeriod = 64 * 1024
    private static let readsPerPeriod = 16

    private let reactor: Reactor
    private let descriptor: OwnedDescriptor

    // MARK: The event loop's thread

    private enum State {
        case idle
        case reading(Registration, @Sendable (UnsafeRawBufferPointer) -> Void, @Sendable (TransportError?) -> Void)
        case over
    }

    private var state = State.idle
    /// The bytes and reads of the present period.
    private var present = (start: ContinuousClock.now, bytes: 0, reads: 0)
    private var isPausing = false

    /// Creates a pipe: its reading end, which is read on `reactor`, and its writing end, for another program.
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

    /// Begins to read. Call it once, on any thread.
    ///
    /// - Parameters:
    ///   - onBytes: Called on the event loop's thread. The bytes are valid during the call.
    ///   - onEnd: Called once on the event loop's thread: at the end, after `close`, or with an error.
    package func start(
        onBytes: @escaping @Sendable (UnsafeRawBufferPointer) -> Void,
        onEnd: @escaping @Sendable (TransportError?) -> Void
    ) {
        reactor.execute { self.begin(onBytes, onEnd) }
    }

    /// Stops reading, even if other processes may still write. It can be called on any thread and more than once.
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
        case .moved(let count):
            onBytes(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            pace(count)
        case .wouldBlock, .noMemory: break
        case .failed(let error): finish(.system("read from a pipe", error))
        }
    }

    /// Counts the bytes of a read, and pauses until the end of the period if its limit is reached.
    private func pace(_ count: Int) {
        present.bytes += count
        present.reads += 1
        guard present.bytes >= Self.bytesPerPeriod || present.reads >= Self.readsPerPeriod else { return }
        let rest = Self.period - present.start.duration(to: .now)
        guard rest > .zero, case .reading(let registration, _, _) = state else { return beginPeriod() }
        let error = reactor.watch(descriptor.number, registration, from: .readable, to: [])
        guard error == 0 else { return finish(.system("pause at a pipe", error)) }
        isPausing = true
        // Rounded up, because the timers of an event loop count milliseconds.
        reactor.after(milliseconds: rest.components.attoseconds / 1_000_000_000_000_000 + 1) { self.resume() }
    }

    private func resume() {
        beginPeriod()
        guard isPausing, case .reading(let registration, _, _) = state else { return }
        isPausing = false
        let error = reactor.watch(descriptor.number, registration, from: [], to: .readable)
        if error != 0 { finish(.system("watch a pipe", error)) }
    }

    private func beginPeriod() {
        present = (.now, 0, 0)
    }

    package func eventLoopStops() {
        finish(nil)
    }

    private func finish(_ error: TransportError?) {
        defer { descriptor.close() }
        let old = state
        state = .over
        guard case .reading(let registration, _, let onEnd) = old else { return }
        if !isPausing { _ = reactor.watch(descriptor.number, registration, from: .readable, to: []) }
        reactor.deregister(registration)
        onEnd(error)
    }
}
