/// Whoever can cancel an event that was sent.
package protocol EventCancelling: AnyObject, Sendable {
    /// Whether cancelling ends the event, rather than asking somebody far away to end it.
    var endsEvents: Bool { get }

    /// Somebody cancelled the event with this number. Any thread; at most once for each event.
    func cancel(event: UInt64)
}
