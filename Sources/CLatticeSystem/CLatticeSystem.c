#include "CLatticeSystem.h"
