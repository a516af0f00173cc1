import ArgumentParser
import SearchProgram

/// The entry point. All other code is in a library, which tests can import.
@main enum Main {
    static func main() async {
        await SearchCommand.main()
    }
}
