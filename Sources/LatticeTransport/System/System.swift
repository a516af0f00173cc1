import CLatticeSystem
import LatticeConcurrency

/// The system calls of this module and of LatticeProcess. Interrupted calls are repeated, and errors are returned
/// instead of left in a variable.
package enum System {
    /// The result of a call that does not wait.
    package enum Transfer {
        case moved(Int)
        case wouldBlock
        /// The system is short of memory. It does not report when it has memory again.
        case noMemory
        case failed(Int32)

        /// Creates the result of a send that failed with this number.
        init(sendError error: Int32) {
            switch error {
            case EAGAIN, EWOULDBLOCK: self = .wouldBlock
            case ENOBUFS, ENOMEM: self = .noMemory
            default: self = .failed(error)
            }
        }
    }

    package static var processID: Int32 { getpid() }
    static var userID: UInt32 { geteuid() }
    static var groupID: UInt32 { getegid() }

    /// Milliseconds since some moment in the past. The number never decreases.
    static var monotonicMilliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The same time with full precision.
    static var monotonicTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Runs `body` on a thread for which this thread waits. That thread can open files even if this process has no
    /// descriptor left. It sees none of the process's descriptors except the first three.
    package static func runApart(_ body: () -> Void) {
        withoutActuallyEscaping(body) { body in
            var context = body
            withUnsafeMutablePointer(to: &context) { context in
                lattice_run_apart({ $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, context)
            }
        }
    }

    /// Starts a thread that runs `body` and then ends. `body` must not compute for long.
    package static func startThread(name: String, _ body: @escaping @Sendable () -> Void) throws(TransportError) {
        do throws(SystemThread.NoRoom) {
            try SystemThread.start(name: name, isBrief: true, body)
        } catch {
            throw .system("start a thread", error.errno)
        }
    }

    /// Creates a folder with these rights, whatever the process's mask is.
    ///
    /// - Returns: 0, or the system's error number, which is EEXIST if there is a file or folder with that name.
    package static func makeFolder(_ path: String, _ mode: UInt16) -> Int32 {
        let error = call { mkdir(path, mode_t(mode)) }.errno
        guard error == 0 else { return error }
        return call { chmod(path, mode_t(mode)) }.errno
    }

    static func text(of error: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
            guard let start = text.baseAddress else { return "error \(error)" }
            lattice_error_text(error, start, text.count)
            return String(cString: start)
        }
    }

    /// Repeats a call until no signal interrupts it. Returns its result, or -1 and the error number.
    package static func call(_ body: () -> Int32) -> (result: Int32, errno: Int32) {
        while true {
            let result = body()
            guard result == -1 else { return (result, 0) }
            let error = lattice_errno()
            if error != EINTR { return (-1, error) }
        }
    }

    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Transfer {
        transfer(descriptor) { lattice_send(descriptor, bytes.baseAddress, bytes.count) }
    }

    @inline(__always)
    private static func transfer(_ descriptor: Int32, _ send: () -> Int) -> Transfer {
        #if DEBUG
        if let error = takeRefusal(of: descriptor) { return Transfer(sendError: error) }
        #endif
        while true {
            let count = send()
            if count >= 0 { return .moved(count) }
            let error = lattice_errno()
            if error != EINTR { return Transfer(sendError: error) }
        }
    }

    #if DEBUG
    /// The sends that fail, by descriptor, so that tests that run at the same time do not disturb each other.
    private static let refusals = Locked<[Int32: (error: Int32, times: Int)]>([:])

    /// Makes the next sends through a descriptor fail, for tests.
    static func refuseSends(_ descriptor: Int32, _ error: Int32, times: Int) {
        refusals.withLock { $0[descriptor] = (error, times) }
    }

    private static func takeRefusal(of descriptor: Int32) -> Int32? {
        refusals.withLock { refusals in
            guard let refusal = refusals[descriptor] else { return nil }
            refusals[descriptor] = refusal.times > 1 ? (refusal.error, refusal.times - 1) : nil
            return refusal.error
        }
    }
    #endif

    /// The maximum number of pieces in one call. Each system has a limit of at least 1024. From some dozens on the cost
    /// of the call itself does not matter any more, and one page is enough for this number.
    static let maximumPieces = 256

    /// Sends several pieces with one call.
    ///
    /// - Parameters:
    ///   - descriptor: The socket.
    ///   - pieces: At most ``maximumPieces`` pieces.
    static func send(_ descriptor: Int32, _ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Transfer {
        precondition(pieces.count <= maximumPieces, "one call takes \(maximumPieces) pieces")
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: pieces.count) { vectors in
            for (index, piece) in pieces.enumerated() {
                // The bytes are only read, although the type does not say so.
                let start = UnsafeMutableRawPointer(mutating: piece.baseAddress)
                vectors[index] = iovec(iov_base: start, iov_len: piece.count)
            }
            return transfer(descriptor) { lattice_send_pieces(descriptor, vectors.baseAddress, Int32(vectors.count)) }
        }
    }

    static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        arrival { recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) }
    }

    /// Reads from a descriptor that does not block.
    package static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        arrival { CLatticeSystem.read(descriptor, buffer.baseAddress, buffer.count) }
    }

    @inline(__always)
    private static func arrival(_ receive: () -> Int) -> Transfer {
        while true {
            let count = receive()
            if count >= 0 { return .moved(count) }
            let error = lattice_errno()
            switch error {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            default: return .failed(error)
            }
        }
    }

    /// Closes a descriptor. The call is not repeated when it is interrupted, because the descriptor is free then too,
    /// and another thread may have it already.
    package static func close(_ descriptor: Int32) {
        CLatticeSystem.close(descriptor)
    }

    /// Ends the stream for the other side, even if a child of this process holds a copy of the descriptor.
    static func shutdown(_ descriptor: Int32) {
        CLatticeSystem.shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// Returns the process at the other end of a connected Unix socket; unknown if the descriptor is none.
    static func peer(of descriptor: Int32) -> Peer {
        var found = lattice_credentials()
        guard lattice_peer_credentials(descriptor, &found) == 0 else { return .unknown }
        return .local(Peer.Credentials(processID: found.pid, userID: found.uid, groupID: found.gid))
    }

    /// Returns whether an error means that descriptors, processes or memory are lacking.
    static func isLackOfResources(_ error: Int32) -> Bool {
        [EMFILE, ENFILE, ENOMEM, EAGAIN, ENOBUFS].contains(error)
    }

    /// Returns whether an error means that the other side has closed, as opposed to a fault of this call.
    static func isPeerGone(_ error: Int32) -> Bool {
        error == EPIPE || error == ECONNRESET || error == ENOTCONN
    }
}
