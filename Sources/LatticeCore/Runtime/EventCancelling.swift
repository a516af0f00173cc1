/// Whoever can cancel an event that was sent.
package protocol EventCancelling: AnyObject, Sendable {
    /// Somebody cancelled the event with this number. Any thread; at most once for each event.
    func cancel(event: UInt64)
}
