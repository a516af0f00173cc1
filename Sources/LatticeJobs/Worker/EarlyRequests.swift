/// Requests for attempts that arrived at a worker before the attempts themselves. It does no I/O and has no clock.
///
/// Requests and attempts are sent by different tasks, so a request may also arrive after its attempt has ended, which
/// is usual for short jobs. The numbers of the last attempts that ended are kept, so that such a request is not taken
/// for an early one.
struct EarlyRequests: Sendable {
    /// The maximum numbers of requests and of ended attempts that are kept, as many as a worker may run jobs at a time.
    /// The oldest are forgotten. A job whose cancellation is forgotten is not told, and its worker is ended after the
    /// grace period. A job whose reader is forgotten keeps its last lines until it ends.
    static let maximum = JobPoolConfiguration.maximumJobsPerWorker

    private var numbers: [UInt64] = []
    private var ended: [UInt64] = []
    /// The place in `ended` that the next attempt takes, when all are taken.
    private var oldest = 0

    /// The number of requests that wait for their attempts.
    var count: Int { numbers.count }

    /// Remembers a request for an attempt that is not running.
    mutating func add(_ number: UInt64) {
        guard !ended.contains(number), !numbers.contains(number) else { return }
        numbers.append(number)
        if numbers.count > Self.maximum { numbers.removeFirst() }
    }

    /// Removes the request for an attempt that begins.
    ///
    /// - Returns: Whether there was one.
    mutating func take(_ number: UInt64) -> Bool {
        guard let index = numbers.firstIndex(of: number) else { return false }
        numbers.remove(at: index)
        return true
    }

    /// Notes that an attempt has ended.
    mutating func end(_ number: UInt64) {
        guard ended.count == Self.maximum else { return ended.append(number) }
        ended[oldest] = number
        oldest = (oldest + 1) % Self.maximum
    }
}
