/// Writing on a connection with faults: a state machine that says what to do with a write, and who tells of room then.
struct FaultyWriting {
    enum Step: Equatable {
        /// The first so many bytes are given to the connection.
        case write(Int)
        /// Nothing is taken; room is told already, later.
        case refuse
        /// Nothing is taken, and room is to be told after so long.
        case stall(Duration)
        case cut
        /// Then the next step is asked for.
        case afflict(FaultyStream.Affliction)
    }

    private enum Room {
        /// Nobody waits for it, or the connection itself will tell.
        case there
        /// It will be told by plan; until then nothing is taken.
        case awaited
    }

    private var stream: FaultyStream
    private var room = Room.there

    init(_ plan: FaultPlan, of connection: Int) {
        stream = FaultyStream(plan, .writing, of: connection)
    }

    /// Whether the connection's own word of room is passed on.
    var passesRoomOn: Bool { room == .there }

    /// - Parameter count: Of the bytes to be written, 1 or more.
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

    /// The connection took some bytes.
    ///
    /// - Parameters:
    ///   - taken: How many.
    ///   - count: How many there were.
    ///   - allowed: How many it was given.
    /// - Returns: Whether room is to be told a tick later; else nobody waits for it, or the connection tells.
    mutating func wrote(_ taken: Int, of count: Int, allowed: Int) -> Bool {
        stream.moved(taken)
        guard taken == allowed, allowed < count else { return false }
        room = .awaited
        return true
    }

    /// The faults that have happened since this was last asked.
    mutating func takeStruck() -> [ConnectionFault] { stream.takeStruck() }

    /// There is room again, by plan.
    mutating func roomCame() {
        room = .there
    }
}
