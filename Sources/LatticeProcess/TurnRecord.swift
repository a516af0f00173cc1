import CLatticeSystem
package import LatticeTransport

/// The turn that a worker is in, and its crash, in memory that it shares with its coordinator.
///
/// The worker writes at the beginning and the end of each turn, which costs some nanoseconds. The coordinator can read
/// the memory when the worker hangs, and after it has ended. Messages could not tell it in either case.
package final class TurnRecord: @unchecked Sendable {
    // Unchecked: both sides access the memory only by atomic operations, and one thread writes.

    /// The variable that tells a worker the descriptor of its record.
    package static let variable = "LATTICE_TURNS"
    /// The descriptor of the record in a worker.
    package static let descriptor: Int32 = 3

    /// A turn that is in progress.
    package struct Turn: Sendable, Equatable {
        /// The reason for the turn.
        package enum Subject: Sendable, Hashable {
            /// An event, by its number on its channel.
            case event(UInt64, channel: UInt32)
            /// An action of an effect, or the start of a feature.
            case effect
        }

        /// The reason for the turn.
        package let subject: Subject
        /// How long the turn has run, accurate to some milliseconds.
        package let elapsed: Duration

        package init(_ subject: Subject, elapsed: Duration) {
            self.subject = subject
            self.elapsed = elapsed
        }
    }

    /// A crash whose report is being written. The worker does not answer any more, and ends when the report is
    /// complete.
    package struct Crash: Sendable, Equatable {
        /// The signal by which the worker crashes.
        package let signal: Int32
        /// How long ago the crash began, accurate to some milliseconds.
        package let elapsed: Duration

        package init(signal: Int32, elapsed: Duration) {
            self.signal = signal
            self.elapsed = elapsed
        }
    }

    /// An upper bound of the numbers of signals.
    private static let signals: UInt64 = 65

    private let memory: UnsafeMutablePointer<lattice_turns>

    private init(_ memory: UnsafeMutablePointer<lattice_turns>) {
        self.memory = memory
    }

    deinit {
        lattice_unmap_turns(memory)
    }

    // MARK: The coordinator

    /// Creates a record, and the descriptor that makes it available to another process. It is nil if the system has no
    /// such memory.
    ///
    /// - Throws: `.system` if there is no room for it.
    package static func make() throws(TransportError) -> (record: TurnRecord, shared: OwnedDescriptor)? {
        let made = System.call { lattice_make_turns() }
        guard made.result >= 0 else {
            let error = TransportError.system("make memory for a worker's turns", made.errno)
            guard error.isLackOfResources else { return nil }
            throw error
        }
        let shared = OwnedDescriptor(made.result)
        guard let memory = lattice_map_turns(shared.number) else {
            throw .system("map memory for a worker's turns", lattice_errno())
        }
        return (TurnRecord(memory), shared)
    }

    /// The turn that is in progress, or that was in progress when the worker ended; nil if there is none.
    package var turn: Turn? {
        let read = lattice_read_turns(memory)
        guard !read.number.isMultiple(of: 2) else { return nil }
        let elapsed = Self.elapsed(since: read.start)
        guard let channel = UInt32(exactly: read.channel), channel != 0 else { return Turn(.effect, elapsed: elapsed) }
        return Turn(.event(read.event, channel: channel), elapsed: elapsed)
    }

    /// The crash of the worker, if it is crashing or has ended by a crash; nil if no signal of a crash was received.
    package var crash: Crash? {
        var start: UInt64 = 0
        let signal = lattice_read_crash(memory, &start)
        guard 1..<Self.signals ~= signal else { return nil }
        return Crash(signal: Int32(signal), elapsed: Self.elapsed(since: start))
    }

    private static func elapsed(since start: UInt64) -> Duration {
        let now = lattice_turn_clock()
        return .nanoseconds(Int64(clamping: now - min(start, now)))
    }

    /// A number that grows when a turn begins or ends.
    package var number: UInt64 { lattice_read_turns(memory).number }

    /// The error number with which the system refused the worker the resources that it needs to begin; nil if there is
    /// none.
    package var lack: Int32? {
        let lack = lattice_read_turns(memory).lack
        return lack == 0 ? nil : Int32(truncatingIfNeeded: lack)
    }

    /// A Boolean value that indicates whether the worker ends itself because an effect has not ended after its timeout.
    package var isOverdue: Bool { lattice_is_overdue(memory) == 1 }

    /// A Boolean value that indicates whether the worker has seen the end of its session. Only then does it end because
    /// of its connection, and not because of what runs in it.
    package var hasSessionEnd: Bool { lattice_has_session_end(memory) == 1 }

    // MARK: The worker

    /// Maps the record that this process was given, if it was given one. Children of the process have no access to it.
    /// From now on a crash is noted in it.
    ///
    /// - Parameter variable: The value of `LATTICE_TURNS`.
    package init?(named variable: String) {
        guard let descriptor = Int32(variable), descriptor == Self.descriptor,
            let memory = lattice_map_turns(descriptor)
        else {
            return nil
        }
        System.close(descriptor)
        self.memory = memory
        // The record is never released, because a later crash still writes to it.
        _ = Unmanaged.passRetained(self)
        lattice_note_crashes(memory)
    }

    /// Notes that the worker cannot begin, because the system refuses it resources with this error.
    package func note(lack: Int32) {
        lattice_note_lack(memory, lack)
    }

    /// Notes that the worker ends itself because an effect has not ended after its timeout.
    package func noteOverdue() {
        lattice_note_overdue(memory)
    }

    /// Notes that the session of the worker has ended, after which the worker ends.
    package func noteSessionEnd() {
        lattice_note_session_end(memory)
    }

    /// Notes that a turn begins.
    package func begin(_ subject: Turn.Subject) {
        let now = lattice_turn_clock()
        switch subject {
        case .event(let number, let channel): lattice_begin_turn(memory, UInt64(channel), number, now)
        case .effect: lattice_begin_turn(memory, 0, 0, now)
        }
    }

    /// Notes that the turn ends, if there is one.
    package func end() {
        lattice_end_turn(memory)
    }
}
