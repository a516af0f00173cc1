/// An observer that is notified while the coding of a large value makes progress.
///
/// A coding occupies its thread, which may have promised to answer others in time.
package protocol CodingObserver: AnyObject, Sendable {
    /// Reports progress. It is called on the thread of the coding, from inside the value's own code.
    func codingGoesOn()
}

/// Counts the steps of a coding, and notifies its observer at intervals.
///
/// Only the steps of the coder itself count, and never the time. A value whose own code hangs therefore causes no
/// notification. The notifications also end: one coding counts no more steps than the largest value has bytes.
@usableFromInline
package final class CodingSteps {
    /// The number of steps between two notifications. It is small enough for elements that take long to code, and large
    /// enough that the others only cost the counting.
    static let stride = 128

    private let maximumNotifications: Int
    private var left = CodingSteps.stride
    private var notifications = 0
    private(set) var observer: (any CodingObserver)?

    init(maximumNotifications: Int = CBORLimits.maximumValue / CodingSteps.stride) {
        self.maximumNotifications = maximumNotifications
    }

    func begin(_ observer: (any CodingObserver)?) {
        guard let observer else { return }
        self.observer = observer
        left = Self.stride
        notifications = 0
    }

    func end() {
        if observer != nil { observer = nil }
    }

    /// Counts one element, key or head, or one comparison during sorting.
    @inline(__always)
    func step() {
        left &-= 1
        if left == 0 { notify() }
    }

    @inline(never)
    private func notify() {
        left = Self.stride
        guard let observer, notifications < maximumNotifications else { return }
        notifications += 1
        observer.codingGoesOn()
    }
}
