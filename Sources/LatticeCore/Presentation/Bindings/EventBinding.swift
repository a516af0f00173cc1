/// A value that is read from a view model and written by sending it an event.
///
/// What SwiftUI's `Binding` is made of where there is SwiftUI, and usable without: in a terminal, in a test.
///
/// ```swift
/// let name = viewModel.bindings.name.sending(\.nameChanged)
/// name.value = "Ada"          // sends .nameChanged("Ada")
/// print(name.value)           // what the view state says now
/// ```
@MainActor
public struct EventBinding<Value> {
    private let read: () -> Value
    private let send: (Value) -> Void

    init(read: @escaping () -> Value, send: @escaping (Value) -> Void) {
        self.read = read
        self.send = send
    }

    /// Reading observes the view state; writing sends an event, and what it does to the view state shows at once
    /// where the feature runs in this process.
    public var value: Value {
        get { read() }
        nonmutating set { send(newValue) }
    }
}
