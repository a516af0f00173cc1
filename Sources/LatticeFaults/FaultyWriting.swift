/// The state machine of writing on a connection with faults. It decides what happens to a write, and who reports that
/// there is room again.
struct FaultyWriting {
    /// What happens to a write.
    enum Step: Equatable {
        /// The first bytes, this many, are passed to the connection.
        case write(Int)
        /// Nothing is written. It has already been scheduled that room is reported later.
        case refuse
        /// Nothing is written, and room has to be reported after this time.
        case stall(Duration)
        /// The connection breaks.
        case cut
        /// The process at the other end is killed or paused. Then the next step is requested.
        case afflict(FaultyStream.Affliction)
    }

    private enum Room {
        /// No writer waits for room, or the wrapped connection will report it.
        case there
        /// The plan will report room. Until then nothing is written.
        case awaited
    }

    private var stream: FaultyStream
    private var room = Room.there

    init(_ plan: FaultPlan, of connection: Int) {
        stream = FaultyStream(plan, .writing, of: connection)
    }

    /// A Boolean value that indicates whether a report of room by the wrapped connection is forwarded.
    var isInnerRoomForwarded: Bool { room == .there }

    /// Decides what happens to a write.
    ///
    /// - Parameter count: The number of bytes to write, at least 1.
    mutating func next(_ count: Int) -> Step {
        guard room == .there else { return .refuse }
        switch stream.next(count) {
        case .move(let count): return .write(count)
        case .cut: return .cut
        case .afflict(let affliction): return .afflict(affliction)
        case .stall(let duration):
            room = .awaited
            return .stall(duration)
        }
    }

    /// Reports that the connection has taken bytes.
    ///
    /// - Parameters:
    ///   - taken: The number of bytes that it has taken.
    ///   - count: The number of bytes to write.
    ///   - allowed: The number of bytes that it was given.
    /// - Returns: Whether room has to be reported a tick later. Otherwise no writer waits, or the connection reports
    ///   it.
    mutating func wrote(_ taken: Int, of count: Int, allowed: Int) -> Bool {
        stream.moved(taken)
        guard taken == allowed, allowed < count else { return false }
        room = .awaited
        return true
    }

    /// Returns the faults that have happened since the last call.
    mutating func takeStruck() -> [ConnectionFault] { stream.takeStruck() }

    /// Ends the time in which the plan allows no writing.
    mutating func endWait() {
        room = .there
    }
}
