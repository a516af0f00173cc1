// error: 'send' is unavailable: A view model sends an event with 'sendViewEvent(_:)'
// error: has no dynamic member 'sned' using key path from root type 'String'
import LatticeCore

struct Switch: Equatable, Sendable {
    var send = false
}

@MainActor
func use(
    _ texts: ViewModel<Feature<Int, Int, String>>,
    _ switches: ViewModel<Feature<Int, Int, Switch>>
) -> Bool {
    texts.send(1)
    texts.sned(1)
    // A property of the view state that is named `send` is still found.
    return switches.send
}
