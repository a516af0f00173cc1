import CLatticeThreads

/// A thread that runs one closure and ends.
package enum SystemThread {
    /// An error that says that the system refused another thread.
    package struct NoRoom: Error {
        /// The error number of the system.
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

    /// Checks whether a number of further threads can exist at the same time. It tries at most 16.
    ///
    /// - Throws: ``NoRoom`` if the system refuses one of them.
    package static func checkRoom(for count: Int) throws(NoRoom) {
        let error = lattice_check_threads(Int32(clamping: count))
        guard error == 0 else { throw NoRoom(errno: error) }
    }

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - name: The name of the thread.
    ///   - isBrief: Whether the thread is awake for short moments only. Such a thread has priority over threads that
    ///     compute.
    ///   - body: The closure that the thread runs.
    /// - Throws: ``NoRoom`` if the system refuses the thread.
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
