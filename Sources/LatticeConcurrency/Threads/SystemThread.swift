import CLatticeThreads

/// A thread of its own that runs one closure and ends.
package enum SystemThread {
    /// The system has no room for another thread.
    package struct NoRoom: Error {
        /// What the system says of it.
        package let errno: Int32
    }

    private final class Start {
        let name: String
        let isBrief: Bool
        let body: @Sendable () -> Void

        init(name: String, isBrief: Bool, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.isBrief = isBrief
            self.body = body
        }

        static func run(_ start: UnsafeMutableRawPointer?) {
            guard let start = start.map({ Unmanaged<Start>.fromOpaque($0).takeRetainedValue() }) else { return }
            lattice_name_this_thread(start.name)
            if start.isBrief { lattice_thread_is_brief(lattice_thread_number()) }
            start.body()
        }
    }

    /// Tries whether so many more threads, 16 at most, can be there at the same time.
    ///
    /// - Throws: If they cannot.
    package static func checkRoom(for count: Int) throws(NoRoom) {
        let error = lattice_check_threads(Int32(clamping: count))
        guard error == 0 else { throw NoRoom(errno: error) }
    }

    /// - Parameter isBrief: Whether it is awake for moments only, and then comes before threads that compute.
    package static func start(
        name: String,
        isBrief: Bool = false,
        _ body: @escaping @Sendable () -> Void
    ) throws(NoRoom) {
        let start = Unmanaged.passRetained(Start(name: name, isBrief: isBrief, body: body))
        let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
            Start.run(argument)
            return nil
        }
        let error = lattice_start_thread(0, run, start.toOpaque())
        guard error == 0 else {
            start.release()
            throw NoRoom(errno: error)
        }
    }
}
