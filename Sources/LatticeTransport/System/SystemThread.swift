import CLatticeSystem

/// A thread of its own that runs one closure and ends.
package enum SystemThread {
    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }

        static func run(_ start: UnsafeMutableRawPointer?) {
            guard let start = start.map({ Unmanaged<Start>.fromOpaque($0).takeRetainedValue() }) else { return }
            lattice_name_this_thread(start.name)
            start.body()
        }
    }

    /// - Throws: `.system` if the system has no room for another thread.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) throws(TransportError) {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
            Start.run(argument)
            return nil
        }
        let error = lattice_start_thread(0, run, start.toOpaque())
        guard error == 0 else {
            start.release()
            throw .system("start a thread", error)
        }
    }
}
