import LatticeCollections

/// The positions of the `@WorkerLocal` parts in a state: in its properties, in the properties of nested structs, and in
/// optionals of these. Parts inside elements of collections and payloads of enums are not included.
///
/// The positions are determined once for each type, so a turn pays only for the parts that exist.
package struct WorkerLocalPlaces<State>: Sendable {
    private let places: [WorkerLocalPlace]

    /// Finds the parts in the state's type.
    package init() {
        places = WorkerLocalPlace.places(in: State.self)
    }

    /// Replaces the parts of a state by the parts of another one. Parts that the other state lacks get their initial
    /// values.
    ///
    /// - Parameter other: The other state, or nil for a state without any parts.
    package func replaceParts(of state: inout State, byThoseOf other: State?) {
        guard !places.isEmpty else { return }
        withUnsafeMutablePointer(to: &state) { state in
            guard let other else { return places.replace(in: state, by: nil) }
            withUnsafePointer(to: other) { places.replace(in: state, by: $0) }
        }
    }
}

/// The offset of a part in a value.
struct WorkerLocalPlace: Sendable {
    let offset: Int
    /// Replaces the part by the part of another value, or by its initial value.
    let replace: @Sendable (_ part: UnsafeMutableRawPointer, _ other: UnsafeRawPointer?) -> Void

    static func places(in type: Any.Type) -> [WorkerLocalPlace] {
        if let type = type as? any WorkerLocalHolding.Type { return type.places }
        return StoredProperties(of: type).flatMap { property in
            places(in: property.type).map { WorkerLocalPlace(offset: property.offset + $0.offset, replace: $0.replace) }
        }
    }
}

extension [WorkerLocalPlace] {
    fileprivate func replace(in value: UnsafeMutableRawPointer, by other: UnsafeRawPointer?) {
        for place in self { place.replace(value + place.offset, other.map { $0 + place.offset }) }
    }
}

/// A type that knows the positions of its parts.
private protocol WorkerLocalHolding {
    static var places: [WorkerLocalPlace] { get }
}

extension WorkerLocal: WorkerLocalHolding {
    fileprivate static var places: [WorkerLocalPlace] {
        let place = WorkerLocalPlace(offset: 0) { part, other in
            let other = other?.assumingMemoryBound(to: WorkerLocal.self).pointee
            part.assumingMemoryBound(to: WorkerLocal.self).pointee = other ?? WorkerLocal()
        }
        return [place]
    }
}

extension Optional: WorkerLocalHolding {
    fileprivate static var places: [WorkerLocalPlace] {
        let places = WorkerLocalPlace.places(in: Wrapped.self)
        guard !places.isEmpty else { return [] }
        let place = WorkerLocalPlace(offset: 0) { part, other in
            let part = part.assumingMemoryBound(to: Wrapped?.self)
            guard var value = part.pointee.take() else { return }
            withUnsafeMutablePointer(to: &value) { value in
                guard let other = other?.assumingMemoryBound(to: Wrapped?.self).pointee else {
                    return places.replace(in: value, by: nil)
                }
                withUnsafePointer(to: other) { places.replace(in: value, by: $0) }
            }
            part.pointee = consume value
        }
        return [place]
    }
}
