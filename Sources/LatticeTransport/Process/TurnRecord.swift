import CLatticeSystem

/// In whose turn a worker is, and whether it crashes, in memory that it shares with its coordinator.
///
/// The worker writes a turn at both of its ends, which costs some nanoseconds. The coordinator can read it when the
/// worker hangs, and when it is gone: messages would say neither.
package final class TurnRecord: @unchecked Sendable {
    // Unchecked: both sides touch the memory by atomic operations only, and one thread writes.

    /// The variable that tells a worker which of its descriptors the record is.
    package static let variable = "LATTICE_TURNS"
    /// The descriptor that it is there.
    package static let descriptor: Int32 = 3

    /// A turn that is under way.
    package struct Turn: Sendable, Equatable {
        /// What it was begun for.
        package enum Subject: Sendable, Hashable {
            /// An event, by its number on its channel.
            case event(UInt64, channel: UInt32)
            /// What an effect has sent, or what a feature does when it begins.
            case effect
        }

        package let subject: Subject
        /// How long it has run, to some milliseconds.
        package let elapsed: Duration

        package init(_ subject: Subject, elapsed: Duration) {
            self.subject = subject
            self.elapsed = elapsed
        }
    }

    /// A crash whose report is being written: the worker answers nothing any more, and ends when that is done.
    package struct Crash: Sendable, Equatable {
        /// By which the worker crashes.
        package let signal: Int32
        /// How long ago it came, to some milliseconds.
        package let elapsed: Duration

        package init(signal: Int32, elapsed: Duration) {
            self.signal = signal
            self.elapsed = elapsed
        }
    }

    /// Signals have smaller numbers than this.
    private static let signals: UInt64 = 65

    private let memory: UnsafeMutablePointer<lattice_turns>

    private init(_ memory: UnsafeMutablePointer<lattice_turns>) {
        self.memory = memory
    }

    deinit {
        lattice_unmap_turns(memory)
    }

    // MARK: The coordinator

    /// A record, and what makes it one for another process too. nil where the system has no such memory.
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

    /// The turn that is under way, or that was when the worker ended; nil: none.
    package var turn: Turn? {
        let read = lattice_read_turns(memory)
        guard !read.number.isMultiple(of: 2) else { return nil }
        let elapsed = Self.elapsed(since: read.start)
        guard let channel = UInt32(exactly: read.channel), channel != 0 else { return Turn(.effect, elapsed: elapsed) }
        return Turn(.event(read.event, channel: channel), elapsed: elapsed)
    }

    /// The crash of the worker, if it crashes or has ended by one; nil: no signal of a crash came.
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

    /// Grows when a turn begins or ends.
    package var number: UInt64 { lattice_read_turns(memory).number }

    /// Why the worker could not begin, if the system has refused what it needs for that: the number of the error.
    package var lack: Int32? {
        let lack = lattice_read_turns(memory).lack
        return lack == 0 ? nil : Int32(truncatingIfNeeded: lack)
    }

    // MARK: The worker

    /// The record that this process was given, if it was; its children are not. From now on a crash is noted in it.
    ///
    /// - Parameter variable: What `LATTICE_TURNS` says.
    package init?(named variable: String) {
        guard let descriptor = Int32(variable), descriptor == Self.descriptor,
            let memory = lattice_map_turns(descriptor)
        else {
            return nil
        }
        System.close(descriptor)
        self.memory = memory
        // For good: who crashes later still writes there.
        _ = Unmanaged.passRetained(self)
        lattice_note_crashes(memory)
    }

    /// The worker cannot begin, as the system refuses what it needs for that.
    package func note(lack: Int32) {
        lattice_note_lack(memory, lack)
    }

    /// A turn begins.
    package func begin(_ subject: Turn.Subject) {
        let now = lattice_turn_clock()
        switch subject {
        case .event(let number, let channel): lattice_begin_turn(memory, UInt64(channel), number, now)
        case .effect: lattice_begin_turn(memory, 0, 0, now)
        }
    }

    /// It ends, if it has not.
    package func end() {
        lattice_end_turn(memory)
    }
}
