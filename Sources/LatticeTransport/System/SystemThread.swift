import CLatticeSystem

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A thread of its own that runs one closure and ends.
package enum SystemThread {
    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }

        static func run(_ start: UnsafeMutableRawPointer) {
            let start = Unmanaged<Start>.fromOpaque(start).takeRetainedValue()
            lattice_name_this_thread(start.name)
            start.body()
        }
    }

    /// - Throws: `.system` if the system has no room for another thread.
    package static func start(name: String, _ body: @escaping @Sendable () -> Void) throws(TransportError) {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        #if canImport(Darwin)
        var thread: pthread_t?
        let error = pthread_create(
            &thread,
            nil,
            {
                Start.run($0); return nil
            },
            start.toOpaque()
        )
        if error == 0, let thread { pthread_detach(thread) }
        #else
        var thread = pthread_t()
        let error = pthread_create(
            &thread,
            nil,
            { argument in
                if let argument { Start.run(argument) }
                return nil
            },
            start.toOpaque()
        )
        if error == 0 { pthread_detach(thread) }
        #endif
        guard error == 0 else {
            start.release()
            throw .system("start a thread", error)
        }
    }
}
