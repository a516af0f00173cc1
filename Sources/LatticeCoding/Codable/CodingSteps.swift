/// Hears that the coding of a large value goes on.
///
/// A coding holds up the thread on which it is done, which may have promised others to answer in time.
package protocol CodingObserver: AnyObject, Sendable {
    /// More of the value is done. Called on the thread of the coding, in the middle of the value's own code.
    func codingGoesOn()
}

/// Counts what a coding has done and notifies its observer now and then.
///
/// Only what the coder does itself counts, never the time that passes: a value whose own code hangs notifies
/// nobody. It ends too: one coding counts no more steps than the largest value has bytes.
@usableFromInline
package final class CodingSteps {
    /// So many steps lie between two notifications. Few enough for elements that take their time, and enough that
    /// counting is all that the others cost.
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

    /// One element, key or head is done, or one comparison in sorting them.
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
